"""The section about sets of sentence pairs."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from literal_report import short_report
from lxml import html

from cqa_spark.evaluation.statistics.set_means import MEAN, WEIGHTED_MEAN, SetScore
from cqa_spark.reports.sections import similarity as similarity_section
from cqa_spark.reports.sections.similarity import Points, PublishedScore, Similarity, WorstPair
from cqa_spark.reports.sts_results import RESULTS, official_mean, published_mean, published_results

SETS = ("2014/OnWN.test", "2014/images.test", WEIGHTED_MEAN, MEAN)


def similarity() -> Similarity:
    correlations = [
        SetScore(system, name, value, value - 0.02, value + 0.02, 750, value - 0.5, 0.001 if value > 0.5 else 1.0)
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
        "best_a",
        "given_order",
    )


@pytest.mark.parametrize(
    ("sets", "means", "headline"),
    [
        (["2014/OnWN.test", "2014/images.test"], [WEIGHTED_MEAN, MEAN], WEIGHTED_MEAN),
        (["official/track1.ar-ar", "official/track5.en-en"], [WEIGHTED_MEAN, MEAN], MEAN),
        (["benchmark/sts-dev"], [], "benchmark/sts-dev"),
    ],
)
def test_systems_are_ordered_by_the_official_mean_or_by_the_only_set(
    sets: list[str], means: list[str], headline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [
        SetScore(system, name, 0.5 + (better if name == headline else -better) / 4, 0.0, 1.0, 250, 0.0, 1.0)._asdict()
        for system, better in (("a", -1), ("b", 1))
        for name in (*sets, *means)
    ]
    run: Any = SimpleNamespace(
        entries=lambda table: entries, best_system="b", once=lambda read: SimpleNamespace(baseline="a")
    )
    monkeypatch.setattr(similarity_section, "_pairs", lambda run: None)
    monkeypatch.setattr(similarity_section, "persisted", lambda frame: nullcontext((frame,)))
    monkeypatch.setattr(similarity_section, "_points", lambda pairs: ())
    monkeypatch.setattr(similarity_section, "_worst", lambda run, pairs: ())
    shown = similarity_section.data(run)
    assert shown is not None
    assert (shown.systems, shown.sets) == (("b", "a"), (*sets, *means))


@pytest.fixture(scope="module")
def section() -> html.HtmlElement:
    page = html.fromstring(short_report(similarity=similarity()).page())
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


def test_the_published_mean_is_in_the_row_of_the_official_mean() -> None:
    all_of_2016 = dict.fromkeys((f"2016/{name}.input" for name in RESULTS["2016"].sets), 250)
    tracks = dict.fromkeys((f"official/{name}" for name in RESULTS["2017"].sets), 250)
    assert published_mean(all_of_2016) == (RESULTS["2016"], 0.77807)
    assert published_mean(tracks) == (RESULTS["2017"], 0.7316)
    assert official_mean(all_of_2016) == WEIGHTED_MEAN
    assert official_mean(tracks) == MEAN
    assert official_mean(["mine/track1", "2016/headlines.input"]) == WEIGHTED_MEAN


def test_the_mean_of_a_year_without_all_of_its_sets_is_weighted_by_the_pairs_that_are_there() -> None:
    results, value = published_mean({"2013/headlines.test": 750, "2013/OnWN.test": 561, "2013/FNWN.test": 189})
    assert results == RESULTS["2013"]
    assert value == pytest.approx((0.7642 * 750 + 0.7529 * 561 + 0.5818 * 189) / 1500)


@pytest.mark.parametrize(
    "sets",
    [["2016/headlines.input"], ["2013/OnWN.test", "2014/OnWN.test"], ["2013/OnWN.test", "mine/pairs"]],
    ids=["one of five", "two years", "an unknown one"],
)
def test_other_collections_of_sets_have_no_published_mean(sets: list[str]) -> None:
    assert published_mean(dict.fromkeys(sets, 100)) is None


def test_published_means_follow_from_the_sets() -> None:
    pairs = {"answers-forums": 375, "answers-students": 750, "belief": 375, "headlines": 750, "images": 750}
    sets = RESULTS["2015"].sets
    assert sum(sets[name] * number for name, number in pairs.items()) / 3000 == pytest.approx(
        RESULTS["2015"].mean, abs=5e-5
    )
