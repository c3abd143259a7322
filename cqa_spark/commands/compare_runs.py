"""``cqa runs compare``: how runs differ; ``cqa runs trend``: a measure over the published runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from cqa_spark.commands.inspect import community_tables, show_report
from cqa_spark.commands.jobs import Job
from cqa_spark.errors import InputError
from cqa_spark.settings.rendering import flat_settings
from cqa_spark.settings.sections import ShownReportSettings
from cqa_spark.settings.suggestions import known_names
from cqa_spark.settings.values import NotHashed, Positional, RunName, Shown

if TYPE_CHECKING:
    from cqa_spark.lake.journal import Entry
    from cqa_spark.lake.lake import Lake
    from cqa_spark.lake.run_log import RunRecord
    from cqa_spark.lake.snapshot import Snapshot
    from cqa_spark.reports.sections.comparison import ComparedMeasure, ComparedRuns
    from cqa_spark.reports.sections.first_answers import FirstAnswerChanges
    from cqa_spark.reports.sections.table_changes import RunChanges


class CompareRunsSettings(ShownReportSettings):
    """Show how runs differ: settings, measures with paired tests, threads with another first answer, rows of tables."""

    examples = (
        "cqa runs compare last tonight --lake build/lake",
        "cqa runs compare september december january --lake build/lake --page changes.html",
    )

    runs: Annotated[
        tuple[RunName, ...],
        NotHashed(),
        Positional(),
        Field(
            min_length=1, max_length=3, description="a run, and one or two to compare with it; default: the published"
        ),
    ]

    def reads(self) -> list[str]:
        """Tables of the runs."""
        runs = self.runs if len(self.runs) > 1 else (*self.runs, "(published)")
        return [f"{self.lake}: tables of the runs {', '.join(runs)}"]


def compare_runs(settings: CompareRunsSettings) -> None:
    """Compare runs with the first one: settings, measures, first answers, rows of the tables that readers see.

    Raises:
        InputError: a run has not succeeded, or nothing is published.
    """
    from cqa_spark.reports import kinds
    from cqa_spark.runtime.workspace import read_lake

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
    from cqa_spark.lake.schemas.rankings import RANKINGS
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.reports.sections.comparison import ComparedRuns
    from cqa_spark.runtime.workspace import code_version

    first, *others = snapshots = [snapshot_of(lake, run) for run in runs]
    ranks = all(snapshot.has(RANKINGS) for snapshot in snapshots)
    return ComparedRuns(
        lake=lake.root,
        code_version=code_version(),
        runs=tuple(snapshot.record.run_id for snapshot in snapshots),
        settings=tuple(_different_settings([snapshot.record for snapshot in snapshots])),
        measures=(*_measures(snapshots), *_unpaired(snapshots)),
        answers=tuple(_answers(first, other) for other in others) if ranks else (),
        changes=tuple(_changes(first, other) for other in others),
    )


_OF_ONE_RUN = ("lake", "run_id")
"""Settings that say nothing of a difference."""


def _different_settings(records: Sequence[RunRecord]) -> Iterator[tuple[str, tuple[str | None, ...]]]:
    """The settings with several values, and the code version if it differs."""
    by_run = [flat_settings(record.config) | {"code version": record.code_version} for record in records]
    for key in dict.fromkeys(key for settings in by_run for key in settings):
        values = tuple(settings.get(key) for settings in by_run)
        if len(set(values)) > 1 and key not in _OF_ONE_RUN:
            yield key, values


def _measures(snapshots: Sequence[Snapshot]) -> Iterator[ComparedMeasure]:
    """Every measure over what all runs have measured: replayed nights, tested by thread; others, by topic."""
    from pyspark.sql import functions as F

    from cqa_spark.evaluation.statistics.bootstrap import Resampling
    from cqa_spark.evaluation.statistics.nights import compare_nights
    from cqa_spark.evaluation.statistics.summary import summarise_runs
    from cqa_spark.lake.schemas.metrics import NIGHTS, QUERY_METRICS
    from cqa_spark.reports.evaluation import Comparison
    from cqa_spark.reports.reported_run import from_entry
    from cqa_spark.reports.sections.comparison import COMMON_NIGHTS, ComparedMeasure

    if not all(snapshot.has(QUERY_METRICS) for snapshot in snapshots):
        return
    runs = [snapshot.record.run_id for snapshot in snapshots]
    by_run = {run: snapshot.read(QUERY_METRICS) for run, snapshot in zip(runs, snapshots, strict=True)}
    others = {run: rows.where(F.col("split") != NIGHTS) for run, rows in by_run.items()}
    groups: dict[tuple[str, ...], dict[str, Entry]] = {}
    for entry in (*compare_nights(by_run), *summarise_runs(others, Resampling())):
        population = COMMON_NIGHTS if entry["split"] == NIGHTS else f"{entry['task']}, {entry['split']}"
        groups.setdefault((population, entry["scope"], entry["measure"]), {})[entry["system"]] = entry
    for (population, system, measure), entries in groups.items():
        # The difference on a single thread has no interval.
        tested = [entries[run] for run in runs[1:] if entries[run].get("topics") != 1]
        tests = tuple(from_entry(Comparison, entry) for entry in tested)
        yield ComparedMeasure(population, system, measure, tuple(entries[run]["value"] for run in runs), tests)


def _unpaired(snapshots: Sequence[Snapshot]) -> Iterator[ComparedMeasure]:
    """Every measure over all queries of a run, where others have measured other queries: nights always do.

    Of other queries, different numbers tell.
    """
    from cqa_spark.lake.schemas.metrics import METRICS, NIGHTS, of_population
    from cqa_spark.reports.sections.comparison import ComparedMeasure

    by_run = [
        {
            (entry["task"], entry["split"], entry["system"], entry["measure"]): (entry["value"], entry["queries"])
            for entry in of_population(snapshot.entries_or_none(METRICS), None)
        }
        for snapshot in snapshots
    ]
    for key in dict.fromkeys(key for entries in by_run for key in entries):
        task, split, system, measure = key
        values, queries = zip(*(of_run.get(key, (None, None)) for of_run in by_run), strict=True)
        if split == NIGHTS or len(set(queries)) > 1:
            where = "replayed nights" if split == NIGHTS else f"{task}, {split}: all queries of each run"
            yield ComparedMeasure(where, system, measure, values)


def _answers(before: Snapshot, after: Snapshot) -> FirstAnswerChanges:
    """Threads with another first answer, in the served order; in runs without nights, in that of each system."""
    from cqa_spark.lake.schemas.examples import QUERY
    from cqa_spark.lake.schemas.rankings import RANKINGS
    from cqa_spark.reports.queries import TEXTS
    from cqa_spark.reports.sections.first_answers import first_answer_changes
    from cqa_spark.steps.changes import changed_first_answers

    pair = before.read(RANKINGS), after.read(RANKINGS)
    are_nights = all(rankings.where("served").limit(1).count() for rankings in pair)
    entries = changed_first_answers(*pair, QUERY if are_nights else (*QUERY, "system"))
    return first_answer_changes(entries, after.present(TEXTS))


def _changes(before: Snapshot, after: Snapshot) -> RunChanges:
    """Rows of tables that both runs wrote."""
    from cqa_spark.reports.sections.table_changes import RunChanges, table_changes

    tables = community_tables()
    return RunChanges(
        before=before.record.run_id,
        after=after.record.run_id,
        tables=table_changes({t: (before.read(t), after.read(t)) for t in tables if before.has(t) and after.has(t)}),
        only_before=tuple(t.name for t in tables if before.has(t) and not after.has(t)),
        only_after=tuple(t.name for t in tables if after.has(t) and not before.has(t)),
    )


class TrendSettings(ShownReportSettings):
    """Show a measure of a system over the published runs."""

    examples = (
        "cqa runs trend --lake build/lake",
        "cqa runs trend --lake build/lake --system longest --page trend.html",
    )
    reading = ("{job.lake}: the run log",)

    system: Annotated[str | None, NotHashed(), Shown("NAME")] = Field(
        default=None,
        description="name of the system, or of a simple order; default: what the last report presents first",
    )
    measure: Annotated[str | None, NotHashed(), Shown("MEASURE")] = Field(
        default=None, description="measure; default: the main one of the last report"
    )


def trend(settings: TrendSettings) -> None:
    """Show a measure over the published runs of a lake, those whose files were deleted included.

    Raises:
        InputError: no published run has a score, or none has this measure of this system.
    """
    from cqa_spark.reports import kinds
    from cqa_spark.reports.sections.trend import Trend, points_of
    from cqa_spark.runtime.workspace import code_version, read_lake

    lake = read_lake(settings)
    records = _with_scores(lake)
    if not records:
        raise InputError(f"no published run of {lake.root} has a score", "publish a run: cqa run or cqa nightly")
    main = records[-1].scores[0]
    wanted = (settings.system or main.system, settings.measure or main.measure)
    points = points_of(records, *wanted)
    if not points:
        pairs = dict.fromkeys(f"{score.measure} of {score.system}" for record in records for score in record.scores)
        system, measure = wanted
        raise InputError(
            f"no published run of {lake.root} has the measure {measure} of {system}",
            known_names(f"{measure} of {system}", pairs, "scores"),
        )
    report = kinds.TREND.collect(Trend(lake.root, code_version(), *wanted, points))
    show_report(report, settings)


def _with_scores(lake: Lake) -> list[RunRecord]:
    """The newest publication of each run that has scores, in the order of the ends of the runs."""
    from cqa_spark.lake.run_log import RunLog
    from cqa_spark.lake.snapshot import published_runs

    records = [*RunLog(lake.objects).records(status="published"), *published_runs(lake)]
    by_run = {record.run_id: record for record in records if record.scores}
    return sorted(by_run.values(), key=lambda record: record.ended_at or record.recorded_at)


JOBS = (
    Job(
        "runs compare",
        "show how runs differ: settings, measures, first answers, rows",
        "inspection",
        CompareRunsSettings,
        compare_runs,
    ),
    Job("runs trend", "show a measure over the published runs", "inspection", TrendSettings, trend),
)
