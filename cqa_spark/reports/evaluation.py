"""The measures of systems, and their comparisons, on one split of a task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics.set_means import MEAN, WEIGHTED_MEAN
from cqa_spark.evaluation.statistics.tests import holm
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, SET_METRICS
from cqa_spark.reports.reported_run import ReportedRun, from_entry
from cqa_spark.reports.sts_results import official_mean

# The official mean over sets of sentence pairs, as the main measure of a report.

Journal = Mapping[str, Sequence[Entry]]
"""Entries of journal tables by name."""


def with_official_mean(journal: Journal) -> tuple[Journal, str | None]:
    """Add the official mean over the sets to the metrics and comparisons of a run.

    Args:
        journal: entries of the run's journal tables by name.

    Returns:
        The journal, and the name of the added measure, such as ``Pearson (mean by pairs)``. A run with at most one set
        in each split has no mean: its journal is returned as it is, with None.
    """
    entries = journal.get(SET_METRICS.name, ())
    mean = official_mean({entry["set_name"] for entry in entries} - {WEIGHTED_MEAN, MEAN})
    rows = [entry for entry in entries if entry["set_name"] == mean]
    if not rows:
        return journal, None
    measure = f"{rows[0]['measure']} ({mean})"
    added = {
        METRICS.name: [{**row, "measure": measure} for row in rows],
        COMPARISONS.name: [{**row, "measure": measure} for row in _comparisons(rows)],
    }
    return {
        **journal,
        **{name: [*journal.get(name, ()), *entries_of_mean] for name, entries_of_mean in added.items()},
    }, measure


def is_mean_of_sets(measure: str) -> bool:
    """Whether a measure is a mean over sets, which has no value for a single pair."""
    return measure.endswith((f"({WEIGHTED_MEAN})", f"({MEAN})"))


def _comparisons(rows: Sequence[Entry]) -> Iterator[Entry]:
    """The comparisons with the baseline in each split, adjusted for the number of systems."""
    import numpy as np

    others = sorted((row for row in rows if row["system"] != row["baseline"]), key=lambda row: str(row["split"]))
    for _, of_split in groupby(others, key=lambda row: str(row["split"])):
        compared = list(of_split)
        adjusted = holm(np.array([row["p_value"] for row in compared]))
        for row, p_value in zip(compared, adjusted.tolist(), strict=True):
            unknown = dict.fromkeys(("difference_low", "difference_high"))
            yield {**row, "p_value": p_value, "wins": 0, "losses": 0, "ties": 0, **unknown}


@dataclass(frozen=True)
class Measurement:
    """One measure of one system over all queries, with its bootstrap interval; all values are fractions from 0 to 1."""

    system: str
    measure: str
    value: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Comparison:
    """The paired randomization test of a system against another on one measure.

    Attributes:
        system: name of the system.
        measure: name of the measure.
        difference: system minus baseline, a fraction.
        p_value: two-sided.
        wins: queries on which the system is better.
        losses: queries on which the baseline is better.
        ties: queries on which both are equal.
        baseline: the other system.
        difference_low: lower end of the interval of the difference; None in runs of earlier releases.
        difference_high: its upper end.
    """

    system: str
    measure: str
    difference: float
    p_value: float
    wins: int
    losses: int
    ties: int
    baseline: str = ""
    difference_low: float | None = None
    difference_high: float | None = None


@dataclass(frozen=True)
class Evaluation:
    """The measures of all systems on one split of one task.

    Attributes:
        task: name of the task.
        split: split of the evaluation.
        main_measure: measure that orders the systems.
        baseline: system that the others are compared with; None if there is none.
        best_system: system that the page presents first.
        systems: all systems, best first.
        measures: all measures, in the order of the columns.
        queries: number of ranked queries.
        candidates: number of ranked candidates.
        measurements: one per system and measure; empty without labels.
        comparisons: every other system against the baseline.
        resamples: number of resamples of intervals and tests; None without measurements.
        seed: seed of the resampling; None without measurements.
        runner_up: the best system against the second best; None where a baseline is one of them.
        margins: systems against the second baseline on the main measure, best first, without ``runner_up``.
        one_label: systems that call all candidates relevant, or none; measures of their labels mean nothing.
        descriptions: name and description of systems, best first.
        by_query: whether the main measure has a value for a single query, so that wins, losses and ties have a meaning.
        of_sets: whether the main measure is a mean over sets of pairs.
    """

    task: str
    split: str
    main_measure: str
    baseline: str | None
    best_system: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: int
    candidates: int
    measurements: tuple[Measurement, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    resamples: int | None = None
    seed: int | None = None
    runner_up: Comparison | None = None
    margins: tuple[Comparison, ...] = ()
    one_label: tuple[str, ...] = ()
    descriptions: tuple[tuple[str, str], ...] = ()
    by_query: bool = True
    of_sets: bool = False

    def measurement(self, system: str, measure: str) -> Measurement | None:
        """The measurement of a system; None if there is none."""
        return next((m for m in self.measurements if (m.system, m.measure) == (system, measure)), None)

    def comparison(self, system: str, measure: str) -> Comparison | None:
        """The comparison of a system with the baseline; None if there is none."""
        return next((c for c in self.comparisons if (c.system, c.measure) == (system, measure)), None)

    @property
    def best(self) -> Measurement | None:
        """The main measure of the best system."""
        return self.measurement(self.best_system, self.main_measure)

    @property
    def best_comparison(self) -> Comparison | None:
        """The comparison of the best system with the baseline, on the main measure."""
        return self.comparison(self.best_system, self.main_measure)


OF_LABELS = ("Precision", "Recall", "F1")
"""Measures that say nothing of a system that calls all candidates relevant, or none."""


def evaluation(run: ReportedRun) -> Evaluation:
    """The measures of all systems."""
    one_label = tuple(name for name, ranked in run.systems.items() if ranked.has_one_label)
    metrics, comparisons = (
        [entry for entry in run.entries(table) if _has_meaning(entry, one_label)]
        for table in ("metrics", "comparisons")
    )
    systems = _best_first(run, metrics)
    measured = {entry["measure"] for entry in metrics}
    further = [from_entry(Comparison, entry) for entry in comparisons if _is_further(entry, run)]
    best_two = [compared for compared in further if (compared.system, compared.baseline) == systems[:2]]
    best = run.systems[run.best_system]
    return Evaluation(
        task=run.task,
        split=run.split,
        main_measure=run.main_measure,
        baseline=run.baseline if run.baseline in systems else None,
        best_system=run.best_system,
        systems=systems,
        measures=_in_order(measured, [run.main_measure, *run.measures]),
        queries=best.queries,
        candidates=best.candidates,
        measurements=tuple(from_entry(Measurement, entry) for entry in metrics),
        comparisons=tuple(from_entry(Comparison, entry) for entry in comparisons if entry["baseline"] == run.baseline),
        resamples=max((entry["resamples"] for entry in metrics), default=None),
        seed=max((entry["seed"] for entry in metrics), default=None),
        runner_up=next(iter(best_two), None),
        margins=tuple(
            compared
            for system in systems
            for compared in further
            if compared.system == system and compared not in best_two
        ),
        one_label=tuple(sorted(one_label)) if measured.intersection(OF_LABELS) else (),
        descriptions=tuple((name, run.descriptions[name]) for name in systems if name in run.descriptions),
        by_query=not is_mean_of_sets(run.main_measure) and parse_measure(run.main_measure).has_query_values,
        of_sets=is_mean_of_sets(run.main_measure),
    )


def _has_meaning(entry: Entry, one_label: Sequence[str]) -> bool:
    """Whether a measure, or its difference from a baseline, says something of the systems."""
    return entry["measure"] not in OF_LABELS or not {entry["system"], entry.get("baseline")}.intersection(one_label)


def _is_further(entry: Entry, run: ReportedRun) -> bool:
    """Whether it compares two systems, none of them the baseline, on the main measure."""
    return entry["measure"] == run.main_measure and run.baseline not in (entry["system"], entry["baseline"])


def _best_first(run: ReportedRun, metrics: Sequence[Entry]) -> tuple[str, ...]:
    values = {entry["system"]: entry["value"] for entry in metrics if entry["measure"] == run.main_measure}
    return tuple(sorted(run.systems, key=lambda system: (-values.get(system, -1.0), system)))


def _in_order(measured: set[str], first: Sequence[str]) -> tuple[str, ...]:
    named = [measure for measure in dict.fromkeys(first) if measure in measured]
    return (*named, *sorted(measured.difference(named)))
