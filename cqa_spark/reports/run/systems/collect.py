"""The measures of systems and their comparison with the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.run.rankings import RankedSystem
from cqa_spark.reports.run.systems.content import Comparison, Evaluation, Measurement
from cqa_spark.reports.scope import Scope
from cqa_spark.reports.similarity.official_mean import is_mean_of_sets

OF_LABELS = ("Precision", "Recall", "F1")
"""Measures that say nothing of a system that calls all candidates relevant, or none."""


def evaluation(
    scope: Scope, ranked: Mapping[str, RankedSystem], measures: Sequence[str], descriptions: Mapping[str, str]
) -> Evaluation:
    """The measures of all systems.

    Args:
        scope: rows to report on.
        ranked: the systems by name; the best system is one of them.
        measures: order of the columns; other measures follow alphabetically.
        descriptions: what a system is, by its name; systems without one are left out.
    """
    one_label = tuple(system for system, found in ranked.items() if found.has_one_label)
    metrics, comparisons = (
        [each for each in scope.entries(name) if _has_meaning(each, one_label)] for name in ("metrics", "comparisons")
    )
    systems = _best_first(ranked, metrics, scope)
    measured = {entry["measure"] for entry in metrics}
    further = [_compared(entry) for entry in comparisons if _is_further(entry, scope)]
    best_two = [each for each in further if (each.system, each.baseline) == systems[:2]]
    margins = [each for system in systems for each in further if each.system == system and each not in best_two]
    return Evaluation(
        task=scope.task,
        split=scope.split,
        main_measure=scope.main_measure,
        baseline=scope.baseline if scope.baseline in ranked else None,
        best_system=scope.best_system,
        systems=systems,
        measures=_in_order(measured, [scope.main_measure, *measures]),
        queries=ranked[scope.best_system].queries,
        candidates=ranked[scope.best_system].candidates,
        measurements=tuple(from_entry(Measurement, entry) for entry in metrics),
        comparisons=tuple(_compared(entry) for entry in comparisons if entry["baseline"] == scope.baseline),
        resamples=max((entry["resamples"] for entry in metrics), default=None),
        seed=max((entry["seed"] for entry in metrics), default=None),
        runner_up=next(iter(best_two), None),
        margins=tuple(margins),
        one_label=tuple(sorted(one_label)) if measured.intersection(OF_LABELS) else (),
        descriptions=tuple((name, descriptions[name]) for name in systems if name in descriptions),
        by_query=not is_mean_of_sets(scope.main_measure) and parse_measure(scope.main_measure).has_query_values,
        of_sets=is_mean_of_sets(scope.main_measure),
    )


def _has_meaning(entry: Entry, one_label: Sequence[str]) -> bool:
    """Whether a measure, or its difference from a baseline, says something of the systems."""
    return entry["measure"] not in OF_LABELS or not {entry["system"], entry.get("baseline")}.intersection(one_label)


def _compared(entry: Entry) -> Comparison:
    return from_entry(Comparison, entry)


def _is_further(entry: Entry, scope: Scope) -> bool:
    """Whether it compares two systems, none of them the baseline, on the main measure."""
    return entry["measure"] == scope.main_measure and scope.baseline not in (entry["system"], entry["baseline"])


def _best_first(systems: Iterable[str], metrics: Sequence[Entry], scope: Scope) -> tuple[str, ...]:
    values = {entry["system"]: entry["value"] for entry in metrics if entry["measure"] == scope.main_measure}
    return tuple(sorted(systems, key=lambda system: (-values.get(system, -1.0), system)))


def _in_order(found: set[str], wanted: Sequence[str]) -> tuple[str, ...]:
    named = [measure for measure in dict.fromkeys(wanted) if measure in found]
    return (*named, *sorted(found.difference(named)))
