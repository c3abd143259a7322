"""The section on experiments."""

from dataclasses import replace

import literal_report as literal
import pytest
from html_checks import assert_references_resolve, words
from lxml import html

from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.reports.kit.wording import MISSING as NONE
from cqa_spark.reports.sections.experiments import (
    Ablation,
    CrossValidation,
    CurvePoint,
    Experiments,
    SeedValues,
    cross_validation_conclusion,
    experiments,
    in_reading_order,
)

ABLATIONS = (
    Ablation("best_a", 0.7012, 0.675, 0.727, 0.95, 0.0, 1.0, "all", "", 127),
    Ablation("best_a", 0.6513, 0.622, 0.680, 0.95, -0.0499, 0.0004, "without", "quality", 60),
    Ablation("best_a", 0.6990, 0.672, 0.725, 0.95, -0.0022, 0.41, "without", "author", 110),
    Ablation("best_a", 0.5910, 0.560, 0.622, 0.95, -0.1102, 0.0001, "only", "author", 17),
    Ablation("best_a", 0.6600, 0.632, 0.689, 0.95, -0.0412, 0.0002, "only", "quality", 67),
)
CURVE = (
    CurvePoint("best_a", 0.6402, 0.61, 0.67, 0.95, -0.061, 0.0001, 0.1, 212, 2120),
    CurvePoint("best_a", 0.7012, 0.675, 0.727, 0.95, 0.0, 1.0, 1.0, 2100, 21004),
)
VALIDATED = (
    CrossValidation("best_a", 0.688, 0.67, 0.70, 0.95, 0.0, 1.0, 0.002, "best_a", 2100, 3, 5),
    CrossValidation("logistic", 0.685, 0.67, 0.70, 0.95, -0.003, 0.20, 0.001, "best_a", 2100, 3, 5),
    CrossValidation("given_order", 0.540, 0.52, 0.56, 0.95, -0.148, 0.0001, 0.0, "best_a", 2100, 3, 5),
)
SEEDS = (SeedValues("best_a", (0.5, 0.52, 0.48)), SeedValues("logistic", (0.7,)))
EXPERIMENTS = Experiments("MAP@10", VALIDATED, ABLATIONS, CURVE, SEEDS)


@pytest.fixture(scope="module")
def section() -> html.HtmlElement:
    page = literal.short_report(experiments=EXPERIMENTS).page()
    return html.document_fromstring(page).get_element_by_id("experiments")


def rows(section: html.HtmlElement, table: int) -> list[list[str]]:
    found = list(section.iter("table"))[table]
    return [[" ".join(cell.text_content().split()) for cell in row] for row in found.find("tbody")]


def test_each_family_is_compared_with_the_full_system(section: html.HtmlElement) -> None:
    assert rows(section, 1)[:2] == [
        ["all features", "127", "70.12", "[67.50, 72.70]", NONE, NONE],
        ["without quality", "60", "65.13", "[62.20, 68.00]", f"{MINUS}4.99", "p < 0.001"],
    ]
    classes = [cell.get("class") for cell in section.iter("td") if cell.get("class") in ("better", "worse", "unclear")]
    assert classes == ["unclear", "worse", "worse", "unclear", "worse", "worse", "worse"]


def test_the_cross_validation_names_insignificant_differences(section: html.HtmlElement) -> None:
    assert rows(section, 0)[1] == ["logistic", "68.50", "0.10", "[67.00, 70.00]", f"{MINUS}0.30", "p = 0.200"]
    assert words(section.find("p")) == (
        "best_a has the highest mean, but its difference from logistic is not statistically significant."
    )


def test_conclusions_of_other_cross_validations() -> None:
    best, logistic, given = VALIDATED
    assert cross_validation_conclusion((best, given)) == "best_a is significantly better than every other system."
    assert cross_validation_conclusion((best, logistic, replace(logistic, system="twin"))) == (
        "best_a has the highest mean, but its differences from logistic and twin are not statistically significant."
    )
    assert cross_validation_conclusion((best,)) == "best_a is the only system in the cross-validation."


def test_the_curve_names_shares_threads_and_examples(section: html.HtmlElement) -> None:
    assert rows(section, 2) == [
        ["10 %", "212", "2,120", "64.02", "[61.00, 67.00]", f"{MINUS}6.10", "p < 0.001"],
        ["100 %", "2,100", "21,004", "70.12", "[67.50, 72.70]", NONE, NONE],
    ]


def test_seeds_are_in_the_order_of_the_draws() -> None:
    shared = {"task": "question_comment", "split": "dev", "measure": "MAP@10"}
    drawn = [("b", 1, 0.52), ("a", 0, 0.7), ("b", 0, 0.5), ("a", 1, 0.71)]
    entries = [{"system": system, "draw": draw, "value": value, **shared} for system, draw, value in drawn]
    others = [{**entries[0], "split": "test"}, {**entries[0], "measure": "F1"}]
    run = literal.reported_run({"seeds": [*entries, *others]}, "a")
    assert experiments(run).seeds == (SeedValues("a", (0.7, 0.71)), SeedValues("b", (0.5, 0.52)))


def test_seeds_are_summed_up_by_system(section: html.HtmlElement) -> None:
    assert rows(section, 3) == [["best_a", "3", "50.00", "50.00", "2.00", "48.00", "52.00"]]


def test_the_drawings_say_what_they_show(section: html.HtmlElement) -> None:
    described = [svg.get("aria-label") for svg in section.iter("svg")]
    assert described[0].startswith("MAP@10 of each system in cross-validation, with intervals: best_a 68.80")
    assert described[2].startswith("MAP@10 of best_a on subsets of its features, with intervals: all features 70.12")
    assert described[-1].endswith(
        "training threads: 212 threads 64.02 [61.00, 67.00]; 2,100 threads 70.12 [67.50, 72.70]."
    )


def test_ids_of_drawings_do_not_come_from_names() -> None:
    named = 'a) "b" #c'
    ablations = tuple(replace(each, system=named) for each in ABLATIONS)
    curve = tuple(replace(each, system=named) for each in CURVE)
    both = replace(EXPERIMENTS, ablations=(*ABLATIONS, *ablations), curves=(*CURVE, *curve))
    assert_references_resolve(literal.short_report(experiments=both).page())


def test_the_greatest_loss_and_the_best_family_alone_come_first() -> None:
    assert [each.name for each in in_reading_order(ABLATIONS[::-1])] == [
        "all features",
        "without quality",
        "without author",
        "quality alone",
        "author alone",
    ]
