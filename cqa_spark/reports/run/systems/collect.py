"""The measures of systems and their comparison with the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cqa_spark.lake.journal import Entry
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.run.rankings import RankedSystem
from cqa_spark.reports.run.systems.content import Comparison, Evaluation, Measurement
from cqa_spark.reports.scope import Scope


def evaluation(scope: Scope, ranked: Mapping[str, RankedSystem], measures: Sequence[str]) -> Evaluation:
    """The measures of all systems.

    Args:
        scope: rows to report on.
        ranked: the systems by name; the best system is one of them.
        measures: order of the columns; other measures follow alphabetically.
    """
    metrics = scope.entries("metrics")
    return Evaluation(
        task=scope.task,
        split=scope.split,
        main_measure=scope.main_measure,
        baseline=scope.baseline if scope.baseline in ranked else None,
        best_system=scope.best_system,
        systems=_best_first(ranked, metrics, scope),
        measures=_in_order({entry["measure"] for entry in metrics}, [scope.main_measure, *measures]),
        queries=ranked[scope.best_system].queries,
        candidates=ranked[scope.best_system].candidates,
        measurements=tuple(from_entry(Measurement, entry) for entry in metrics),
        comparisons=tuple(
            from_entry(Comparison, entry)
            for entry in scope.entries("comparisons")
            if entry["baseline"] == scope.baseline
        ),
        resamples=max((entry["resamples"] for entry in metrics), default=None),
        seed=max((entry["seed"] for entry in metrics), default=None),
    )


def _best_first(systems: Iterable[str], metrics: Sequence[Entry], scope: Scope) -> tuple[str, ...]:
    values = {entry["system"]: entry["value"] for entry in metrics if entry["measure"] == scope.main_measure}
    return tuple(sorted(systems, key=lambda system: (-values.get(system, -1.0), system)))


def _in_order(found: set[str], wanted: Sequence[str]) -> tuple[str, ...]:
    named = [measure for measure in dict.fromkeys(wanted) if measure in found]
    return (*named, *sorted(found.difference(named)))
