"""a run with its report → the page of the lake, with threads to search."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from cqa_spark.features.feature_table import feature_table
from cqa_spark.lake.collection import runs_to_keep
from cqa_spark.lake.publishing import INDEX as INDEX_FILE
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import RunRecord, StepRecord
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, published_runs
from cqa_spark.object_store.locations import split, write_file
from cqa_spark.process.terminal import Terminal
from cqa_spark.reports import kinds
from cqa_spark.reports.kit.page import page_bytes
from cqa_spark.reports.kit.wording import listed
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import ReportValues, Section
from cqa_spark.reports.sections import first_answers, lake_page, night_worth, summary, systems, trend
from cqa_spark.reports.sections.lake_page import LakePage, Publication, SearchableSite
from cqa_spark.reports.sections.trend import Trend, points_of
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.publish import leased
from cqa_spark.steps.report import REPORT, written_report
from cqa_spark.steps.thread_shards import THREADS, write_thread_shards

INDEX = Artifact("index")

SHOWN = 30
"""Publications on the page."""


@dataclass(frozen=True)
class WriteLakePage(Step):
    """Write the page that becomes the lake's with the run's publication, and the shards of its threads.

    Attributes:
        rows: rows of rankings that become searchable, of the smallest sites first; the threads of others do not.
        keep: number of publications whose files stay after this one's.
        last: the published run, whose shards of unchanged sites are kept; None to write all.
    """

    rows: int
    keep: int = SHOWN
    last: Snapshot | None = None

    name = "pages"

    def reads(self) -> tuple[Product, ...]:
        """The report, and the rankings with their texts."""
        return REPORT, RANKINGS, POSTS

    def reads_if_present(self) -> tuple[Product, ...]:
        """More texts, names of authors, and features that tell reasons."""
        return COMMENTS, USERS, feature_table(())

    def writes(self) -> tuple[Product, ...]:
        """The page and the shards."""
        return INDEX, Artifact(THREADS)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write both."""
        rows_by_site = run.files(RANKINGS).rows_by_site()
        unchanged = self._unchanged(run)
        for site, folder in unchanged.items():
            run.add_artifact(f"{THREADS}/{site}", folder)
        system = run.record.scores[0].system if run.record.scores else ""
        counts.rows_in = run.rows(RANKINGS)
        new = {site: rows for site, rows in rows_by_site.items() if site not in unchanged}
        sites = smallest(new, self.rows)
        if left_out := sorted(new.keys() - sites):
            Terminal(stderr=True).line(
                f"note: the page of the lake does not search the threads of {listed(left_out, 5)}: their rankings have "
                f"{sum(new[site] for site in left_out):,} rows; --page-rows N raises the limit of {self.rows:,}"
            )
        counts.rows_out = write_thread_shards(run, system, sites)
        page = run.artifact_path(INDEX_FILE)
        write_file(page, page_bytes(_values(run, self.keep).page()), run.lake.storage)
        run.add_artifact(INDEX.name, page)

    def _unchanged(self, run: Run) -> dict[str, str]:
        """The folders of shards that stay, by site."""
        if self.last is None or not self.last.has(RANKINGS):
            return {}
        changed = run.changed_sites([RANKINGS, POSTS, COMMENTS, USERS], self.last)
        return {site: path for site, path in _folders(self.last.record) if site not in changed}


def smallest(rows_by_site: Mapping[str, int], most: int) -> set[str]:
    """The smallest sites, which together have at most so many rows."""
    ordered = sorted(rows_by_site.items(), key=lambda item: (item[1], item[0]))
    totals = accumulate(rows for _, rows in ordered)
    return {site for (site, _), total in zip(ordered, totals, strict=True) if total <= most}


def _values(run: Run, keep: int) -> ReportValues:
    """The values of the page."""
    report = written_report(run)
    records = _publications(run)
    kept = {listed.attempt_name for listed in runs_to_keep(leased(run), keep - 1, fewest=1)} | {run.record.attempt_name}
    reports = {record.attempt_name: _within(run, record.artifacts.get(REPORT.name)) for record in records}
    others = [record for record in published_runs(run.lake) if record.corpus != run.record.corpus]
    folders = sorted(pair for record in (run.record, *others) for pair in _folders(record))
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


def _folders(record: RunRecord) -> Iterator[tuple[str, str]]:
    """The sites whose threads a run shows, with the folders of their shards."""
    prefix = f"{THREADS}/"
    artifacts = record.artifacts.items()
    return ((name.removeprefix(prefix), path) for name, path in artifacts if name.startswith(prefix))


def _within(run: Run, path: str | None) -> str | None:
    """A path relative to the lake; None if it is outside."""
    top = run.lake.path("")
    return path.removeprefix(top) if path is not None and path.startswith(top) else None
