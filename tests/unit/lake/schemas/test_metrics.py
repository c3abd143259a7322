"""Metrics joined with their comparisons, on literal entries."""

from typing import Any

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import Worth, of_population, worth_of


def metric(system: str, value: float, **changed: Any) -> Entry:
    about = {"system": system, "split": "test", "measure": "P@1"}
    return {**about, "value": value, "low": 0.1, "high": 0.9, "queries": 50, **changed}


def comparison(system: str, difference: float, baseline: str = "simple", **changed: Any) -> Entry:
    about = {"system": system, "split": "test", "measure": "P@1", "baseline": baseline, "difference": difference}
    return {**about, "difference_low": -0.2, "difference_high": 0.4, "p_value": 0.03, **changed}


def test_worth_is_a_measure_with_its_difference_from_the_baseline() -> None:
    night = {"split": "nights", "topics": 7, "queries": 9}
    older = {"split": "nights", "population": "last", "band": "older"}
    metrics = [
        metric("mine", 0.7),
        metric("simple", 0.5),
        metric("alone", 0.6),
        metric("mine", 0.8, **night),
        metric("mine", 0.6, **{**night, **older}),
    ]
    comparisons = [
        comparison("mine", 0.2),
        comparison("alone", 0.1, baseline="mine"),
        comparison("mine", 0.3, split="nights"),
        comparison("mine", 0.4, **older),
    ]
    bounds = (-0.2, 0.4, 0.03)
    assert worth_of(metrics, comparisons, "simple") == [
        Worth("mine", "test", "all", "P@1", 0.7, 0.1, 0.9, 0.2, *bounds, 50, 50),
        Worth("simple", "test", "all", "P@1", 0.5, 0.1, 0.9, 0.0, 0.0, 0.0, 1.0, 50, 50),
        Worth("mine", "nights", "all", "P@1", 0.8, 0.1, 0.9, 0.3, *bounds, 9, 7),
        Worth("mine", "last", "older", "P@1", 0.6, 0.1, 0.9, 0.4, *bounds, 9, 7),
    ]
    assert worth_of(metrics, comparisons, None) == []


def test_a_population_is_over_all_bands() -> None:
    whole, part = metric("mine", 0.7), metric("mine", 0.6, population="last", band=None)
    entries = [whole, part, metric("mine", 0.5, population=None, band="older")]
    assert of_population(entries, None) == [whole]
    assert of_population(entries, "last") == [part]
