"""The measures of systems, from the entries of a run."""

from dataclasses import replace
from typing import Any

import literal_report as literal

from cqa_spark.reports.evaluation import evaluation
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
