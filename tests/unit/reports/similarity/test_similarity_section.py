"""The section about sets of sentence pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from literal_report import full_report
from lxml import html

from cqa_spark.evaluation.set_means import MEAN, WEIGHTED_MEAN
from cqa_spark.reports.run.page import render
from cqa_spark.reports.similarity.content import Points, PublishedScore, SetCorrelation, Similarity, WorstPair
from cqa_spark.reports.similarity.published import RESULTS, published_results

SETS = ("2014/OnWN.test", "2014/images.test", WEIGHTED_MEAN, MEAN)


def similarity() -> Similarity:
    correlations = [
        SetCorrelation(system, name, value, value - 0.02, value + 0.02, 750, value - 0.5, 0.001 if value > 0.5 else 1.0)
        for system, value in (("best_a", 0.9), ("given_order", 0.5))
        for name in SETS
    ]
    return Similarity(
        ("best_a", "given_order"),
        SETS,
        tuple(correlations),
        (PublishedScore("2014/OnWN.test", "DLS@CU, run 2", 0.8589, "Agirre et al. 2014"),),
        (Points("2014/OnWN.test", (0.0, 2.5, 5.0), (0.5, 2.0, 4.6)),),
        (WorstPair("2014/OnWN.test", 4.8, 1.2, "A <b>bold</b> claim.", "رجل يعزف"),),
    )


@pytest.fixture(scope="module")
def section() -> html.HtmlElement:
    page = html.fromstring(render(replace(full_report(), similarity=similarity())))
    return page.get_element_by_id("similarity")


def test_sets_have_our_correlations_and_the_published_one(section) -> None:
    rows = [[cell.text_content().strip() for cell in row] for row in section.xpath(".//table[1]//tbody/tr")]
    assert [row[0] for row in rows[: len(SETS)]] == list(SETS)
    assert rows[0][1] == "750"
    assert rows[0][2].startswith("▲90.00")
    assert rows[0][4] == "85.89DLS@CU, run 2"
    assert rows[1][4] == "\N{EN DASH}"


def test_pairs_are_text_in_their_own_direction(section) -> None:
    sentences = [each.text_content() for each in section.xpath(".//td[contains(@class, 'prose')]/bdi[@dir='auto']")]
    assert sentences == ["A <b>bold</b> claim.", "رجل يعزف"]


def test_plots_are_described(section) -> None:
    labels = section.xpath(".//svg/@aria-label")
    assert "Gold similarity and score of 3 pairs of 2014/OnWN.test." in labels
    assert any("2014/OnWN.test 90.0" in label for label in labels)


@pytest.mark.parametrize(
    ("set_id", "task", "value"),
    [
        ("2014/OnWN.test", "2014", 0.8589),
        ("2013/OnWN.test", "2013", 0.7529),
        ("2016/question-question.input", "2016", 0.68705),
        ("official/track4a.es-en", "2017", 0.8302),
        ("translated/STS2017.track5.en-en", "2017", 0.8547),
        ("benchmark/sts-dev", "benchmark", 0.847),
    ],
)
def test_published_results_by_the_name_of_a_set(set_id: str, task: str, value: float) -> None:
    assert published_results(set_id) == (RESULTS[task], value)


def test_sets_without_published_results() -> None:
    assert published_results("mine/pairs") is None


def test_published_means_follow_from_the_sets() -> None:
    pairs = {"answers-forums": 375, "answers-students": 750, "belief": 375, "headlines": 750, "images": 750}
    sets = RESULTS["2015"].sets
    assert sum(sets[name] * number for name, number in pairs.items()) / 3000 == pytest.approx(
        RESULTS["2015"].mean, abs=5e-5
    )
