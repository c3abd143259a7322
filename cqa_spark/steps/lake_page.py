"""a run with its report and threads to search → the page of the lake."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cqa_spark.lake.collection import runs_to_keep
from cqa_spark.lake.publishing import INDEX as INDEX_FILE
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord, StepRecord
from cqa_spark.lake.snapshot import published_runs
from cqa_spark.object_store.locations import split, write_file
from cqa_spark.reports import kinds
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import ReportValues, Section
from cqa_spark.reports.sections import first_answers, lake_page, night_worth, summary, systems, trend
from cqa_spark.reports.sections.lake_page import LakePage, Publication, SearchableSite
from cqa_spark.reports.sections.trend import Trend, points_of
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.publish import leased
from cqa_spark.steps.report import REPORT, written_report
from cqa_spark.steps.thread_shards import THREADS, folders_of

INDEX = Artifact("index")

SHOWN = 30
"""Publications on the page."""


@dataclass(frozen=True)
class WriteLakePage(Step):
    """Write the page that becomes the lake's with the run's publication.

    Attributes:
        keep: number of publications whose files stay after this one's.
    """

    keep: int = SHOWN

    name = "pages"

    def reads(self) -> tuple[Product, ...]:
        """The report, and the threads that the page searches."""
        return REPORT, THREADS

    def writes(self) -> tuple[Product, ...]:
        """The page."""
        return (INDEX,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write it."""
        page = run.artifact_path(INDEX_FILE)
        write_file(page, page_bytes(_values(run, self.keep).page()), run.lake.storage)
        run.add_artifact(INDEX.name, page)
        counts.rows_out = 1


def _values(run: Run, keep: int) -> ReportValues:
    """The values of the page."""
    report = written_report(run)
    records = _publications(run)
    kept = {listed.attempt_name for listed in runs_to_keep(leased(run), keep - 1, fewest=1)} | {run.record.attempt_name}
    reports = {record.attempt_name: _within(run, record.artifacts.get(REPORT.name)) for record in records}
    others = [record for record in published_runs(run.lake) if record.corpus != run.record.corpus]
    folders = sorted(pair for record in (run.record, *others) for pair in folders_of(record))
    page = LakePage(
        name=split(run.lake.root)[1] or run.lake.root,
        publications=[
            Publication(record, reports[record.attempt_name] if record.attempt_name in kept else None)
            for record in records
        ],
        sites=[SearchableSite(site, _within(run, folder) or "") for site, folder in folders],
        sentences=summary.sentences(report.head),
    )
    parts: list[tuple[Section[Any, Any], Any]] = [
        (lake_page.THREADS, page),
        *((section, data) for section in _RESULTS if (data := report.data(section)) is not None),
        *([(trend.SECTION, curve)] if (curve := _trend(page.name, records)) else []),
        (lake_page.RUNS, page),
    ]
    return ReportValues(kinds.LAKE, page, tuple(parts))


_RESULTS: tuple[Section[ReportedRun, Any], ...] = (night_worth.SECTION, first_answers.SECTION, systems.SECTION)
"""Sections of the run's report that the page shows, too."""


def _trend(lake: str, records: Sequence[RunRecord]) -> Trend | None:
    """The main measure of the latest run over all runs; None if it has none, or no other run has it."""
    latest = records[0]
    if not latest.scores:
        return None
    main = latest.scores[0]
    points = points_of(records[::-1], main.system, main.measure)
    return Trend(lake, latest.code_version, main.system, main.measure, points) if len(points) > 1 else None


def _publications(run: Run) -> list[RunRecord]:
    """The record of the run, and those of the publications before, the latest first."""
    log = RunLog(run.lake.objects)
    by_attempt = {listed.attempt_name: listed for listed in log.listed("published")}
    latest = sorted(by_attempt.values(), key=lambda listed: -listed.sequence)
    return [run.record, *map(log.read, latest[: SHOWN - 1])]


def _within(run: Run, path: str | None) -> str | None:
    """A path relative to the lake; None if it is outside."""
    top = run.lake.path("")
    return path.removeprefix(top) if path is not None and path.startswith(top) else None
