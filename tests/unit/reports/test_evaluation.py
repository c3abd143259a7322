"""The measures of systems, from the entries of a run."""

from dataclasses import replace
from typing import Any

import literal_report as literal
import pytest

from cqa_spark.evaluation.statistics.set_means import MEAN, WEIGHTED_MEAN
from cqa_spark.reports.evaluation import evaluation, is_mean_of_sets, with_official_mean
from cqa_spark.reports.reported_run import RankedSystem

RUN = {"task": "question_comment", "split": "dev"}


def metric(system: str, measure: str) -> dict[str, Any]:
    numbers = {"value": 0.5, "low": 0.4, "high": 0.6, "queries": 10, "resamples": 99, "seed": 1, "confidence": 0.95}
    return {**RUN, "system": system, "measure": measure, **numbers}


def comparison(system: str, measure: str) -> dict[str, Any]:
    tested = {"baseline": "given", "difference": 0.0, "difference_low": -0.1, "difference_high": 0.1, "p_value": 1.0}
    return {**metric(system, measure), **tested, "wins": 5, "losses": 4, "ties": 1}


def test_no_measure_of_labels_is_compared_with_a_system_that_predicts_one_label() -> None:
    measures = ("MAP@10", "Recall", "Accuracy")
    journal = {
        "metrics": [metric(system, measure) for system in ("best", "given") for measure in measures],
        "comparisons": [comparison("best", measure) for measure in measures],
    }
    ranked = [RankedSystem(**RUN, system=name, queries=10, candidates=100, low=0, high=1) for name in ("best", "given")]
    ranked[1] = replace(ranked[1], has_one_label=True)
    found = evaluation(literal.reported_run(journal, "best", ranked=ranked, baseline="given", measures=measures))
    assert found.one_label == ("given",)
    assert [each.measure for each in found.comparisons] == ["MAP@10", "Accuracy"]
    assert [(each.system, each.measure) for each in found.measurements] == [
        ("best", "MAP@10"), ("best", "Recall"), ("best", "Accuracy"), ("given", "MAP@10"), ("given", "Accuracy"),
    ]  # fmt: skip


# The official mean as the main measure of a report.


def row(system: str, set_name: str, value: float, p_value: float = 1.0) -> dict[str, Any]:
    return {
        "system": system, "task": "sts", "split": "test", "set_name": set_name, "measure": "Pearson", "value": value,
        "low": value - 0.01, "high": value + 0.01, "confidence": 0.95, "queries": 500, "baseline": "cosine_sts",
        "difference": value - 0.5, "p_value": p_value, "resamples": 9999, "seed": 1,
    }  # fmt: skip


def test_the_mean_is_added_to_the_metrics_and_its_tests_are_adjusted() -> None:
    sets = ("2016/headlines.input", "2016/plagiarism.input", WEIGHTED_MEAN, MEAN)
    systems = (("cosine_sts", 0.5, 1.0), ("best_sts", 0.9, 0.01), ("lexical_sts", 0.8, 0.04))
    entries = [row(system, name, value, p) for name in sets for system, value, p in systems]
    metric = {"system": "best_sts", "measure": "Pearson", "value": 0.7}
    journal, measure = with_official_mean({"set_metrics": entries, "metrics": [metric]})
    assert measure == "Pearson (mean by pairs)"
    assert is_mean_of_sets(measure)
    assert journal["metrics"][0] == metric
    added = journal["metrics"][1:]
    assert [(each["system"], each["measure"], each["value"]) for each in added] == [
        ("cosine_sts", measure, 0.5),
        ("best_sts", measure, 0.9),
        ("lexical_sts", measure, 0.8),
    ]
    assert [(each["system"], each["p_value"]) for each in journal["comparisons"]] == [
        ("best_sts", pytest.approx(0.02)),
        ("lexical_sts", pytest.approx(0.04)),
    ]


def test_tracks_of_2017_have_the_unweighted_mean() -> None:
    sets = ("official/track1.ar-ar", "official/track5.en-en", WEIGHTED_MEAN, MEAN)
    _, measure = with_official_mean({"set_metrics": [row("cosine_sts", name, 0.5) for name in sets]})
    assert measure == "Pearson (mean of sets)"


@pytest.mark.parametrize("journal", [{}, {"set_metrics": [row("cosine_sts", "benchmark/sts-dev", 0.5)]}])
def test_one_set_has_no_mean(journal: dict[str, Any]) -> None:
    assert with_official_mean(journal) == (journal, None)
    assert not is_mean_of_sets("Pearson")
