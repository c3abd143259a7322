"""``cqa runs compare``: how runs differ."""

from collections.abc import Iterator, Sequence

from cqa_spark.commands.shown_reports import COMMUNITY, show_report
from cqa_spark.evaluation.statistics.bootstrap import Resampling
from cqa_spark.evaluation.statistics.nights import ALL, LAST_NIGHTS, NIGHTS, SERVED_AGES, compare_nights
from cqa_spark.evaluation.statistics.summary import summarise_runs
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run_log import RunRecord
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.lake.schemas.metrics import QUERY_METRICS
from cqa_spark.lake.schemas.night import NIGHT_WORTH
from cqa_spark.lake.schemas.rankings import MEASURED_NIGHTS, RANKINGS
from cqa_spark.lake.snapshot import Snapshot, snapshot_of
from cqa_spark.reports import kinds
from cqa_spark.reports.evaluation import Comparison
from cqa_spark.reports.queries import TEXTS
from cqa_spark.reports.reported_run import from_entry
from cqa_spark.reports.sections.comparison import COMMON_NIGHTS, ComparedMeasure, ComparedRuns
from cqa_spark.reports.sections.first_answers import FirstAnswerChanges, first_answer_changes
from cqa_spark.reports.sections.table_changes import RunChanges, table_changes
from cqa_spark.runtime.workspace import code_version, read_lake
from cqa_spark.settings.rendering import flat_settings
from cqa_spark.settings.runs import CompareRunsSettings
from cqa_spark.steps.changes import changed_first_answers

_OF_ONE_RUN = ("lake", "run_id")
"""Settings that say nothing of a difference."""


def compare_runs(settings: CompareRunsSettings) -> None:
    """Compare runs with the first one: settings, measures, first answers, rows of the tables that readers see.

    Raises:
        InputError: a run has not succeeded, or nothing is published.
    """
    runs: tuple[str | None, ...] = settings.runs if len(settings.runs) > 1 else (*settings.runs, None)
    show_report(kinds.COMPARISON.collect(compared_runs(read_lake(settings), runs)), settings)


def compared_runs(lake: Lake, runs: Sequence[str | None]) -> ComparedRuns:
    """The differences of runs from the first one.

    Args:
        lake: holds all of them.
        runs: two or more; None for the published one.

    Raises:
        InputError: a run has not succeeded, or nothing is published.
    """
    first, *others = snapshots = [snapshot_of(lake, run) for run in runs]
    return ComparedRuns(
        lake=lake.root,
        code_version=code_version(),
        runs=tuple(snapshot.record.run_id for snapshot in snapshots),
        settings=tuple(_different_settings([snapshot.record for snapshot in snapshots])),
        measures=(*_common_nights(snapshots), *_worth(snapshots), *_measures(snapshots)),
        answers=tuple(_answers(first, other) for other in others) if all(map(_ranks, snapshots)) else (),
        changes=tuple(_changes(first, other) for other in others),
    )


def _different_settings(records: Sequence[RunRecord]) -> Iterator[tuple[str, tuple[str | None, ...]]]:
    """The settings with several values, and the code version if it differs."""
    by_run = [flat_settings(record.config) | {"code version": record.code_version} for record in records]
    for key in dict.fromkeys(key for settings in by_run for key in settings):
        values = tuple(settings.get(key) for settings in by_run)
        if len(set(values)) > 1 and key not in _OF_ONE_RUN:
            yield key, values


def _measures(snapshots: Sequence[Snapshot]) -> Iterator[ComparedMeasure]:
    """Measures of every system that all runs have, with paired tests over the queries that all have measured."""
    if not all(snapshot.has(QUERY_METRICS) for snapshot in snapshots):
        return
    runs = [snapshot.record.run_id for snapshot in snapshots]
    by_run = {snapshot.record.run_id: snapshot.read(QUERY_METRICS) for snapshot in snapshots}
    groups: dict[tuple[str, ...], dict[str, Entry]] = {}
    for entry in summarise_runs(by_run, Resampling()):
        group = (f"{entry['task']}, {entry['split']}", entry["scope"], entry["measure"])
        groups.setdefault(group, {})[entry["system"]] = entry
    for (population, system, measure), entries in groups.items():
        values = tuple(entries[run]["value"] for run in runs)
        tests = tuple(from_entry(Comparison, entries[run]) for run in runs[1:])
        yield ComparedMeasure(population, system, measure, values, tests)


def _common_nights(snapshots: Sequence[Snapshot]) -> Iterator[ComparedMeasure]:
    """What every order is worth on the replayed nights that all runs have measured, with paired tests by thread."""
    if not all(snapshot.has(MEASURED_NIGHTS) for snapshot in snapshots):
        return
    measured = [snapshot.read(MEASURED_NIGHTS) for snapshot in snapshots]
    for order, nights, threads, values, tests in compare_nights(measured):
        paired = tuple(
            Comparison(
                snapshot.record.run_id, "P@1", test.difference, test.p_value, test.wins, test.losses,
                nights - test.wins - test.losses, snapshots[0].record.run_id, test.low, test.high,
            )
            for snapshot, test in zip(snapshots[1:], tests, strict=True)
        )  # fmt: skip
        yield ComparedMeasure(COMMON_NIGHTS, order, "P@1", values, paired if threads > 1 else ())


def _worth(snapshots: Sequence[Snapshot]) -> Iterator[ComparedMeasure]:
    """What every order is worth on a run's replayed nights or labelled queries: runs have others, so none is paired."""
    by_run = [
        {
            (entry["population"], entry["order"], entry["measure"]): entry["value"]
            for entry in snapshot.entries_or_none(NIGHT_WORTH)
            if entry["band"] == ALL and entry["population"] not in (SERVED_AGES, LAST_NIGHTS)
        }
        for snapshot in snapshots
    ]
    for key in dict.fromkeys(key for values in by_run for key in values):
        population, order, measure = key
        where = "replayed nights" if population == NIGHTS else f"labelled queries, {population}"
        yield ComparedMeasure(where, order, measure, tuple(values.get(key) for values in by_run))


def _ranks(snapshot: Snapshot) -> bool:
    return snapshot.has(RANKINGS)


def _answers(before: Snapshot, after: Snapshot) -> FirstAnswerChanges:
    """Threads with another first answer, in the served order; in runs without nights, in that of each system."""
    pair = before.read(RANKINGS), after.read(RANKINGS)
    are_nights = all(rankings.where("served").limit(1).count() for rankings in pair)
    entries = changed_first_answers(*pair, QUERY if are_nights else (*QUERY, "system"))
    return first_answer_changes(entries, after.present(TEXTS))


def _changes(before: Snapshot, after: Snapshot) -> RunChanges:
    """Rows of tables that both runs wrote."""
    pairs = {t: (before.read(t), after.read(t)) for t in COMMUNITY if before.has(t) and after.has(t)}
    return RunChanges(
        before=before.record.run_id,
        after=after.record.run_id,
        tables=table_changes(pairs),
        only_before=tuple(t.name for t in COMMUNITY if before.has(t) and not after.has(t)),
        only_after=tuple(t.name for t in COMMUNITY if after.has(t) and not before.has(t)),
    )
