"""The page of a lake: what is published, its threads to search, and the runs before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cqa_spark.lake.run_log import RunRecord
from cqa_spark.reports.kit.blocks import NO_VALUE, Banner, Block, Cell, Row, Span, Table, Text, Words
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.wording import MISSING, points
from cqa_spark.reports.section import Head, Reported, Section, itself


@dataclass(frozen=True)
class SearchableSite:
    """A site whose threads can be searched.

    Attributes:
        name: the site.
        folder: folder of its shards, relative to the page.
    """

    name: str
    folder: str

    @property
    def shards(self) -> int:
        """The number of shards, which the folder is named for."""
        return int(self.folder.rpartition("/")[2])


@dataclass(frozen=True)
class Publication:
    """A run that is or was published.

    Attributes:
        record: its record.
        report: path of its report, relative to the page; None if there is none.
    """

    record: RunRecord
    report: str | None

    @property
    def moment(self) -> datetime:
        """When the run ended or, as long as it has not, was recorded."""
        return self.record.ended_at or self.record.recorded_at


@dataclass(frozen=True)
class LakePage(Reported):
    """A lake, seen from a run that is about to be published.

    Attributes:
        name: name of the lake's folder.
        publications: that of the run, and earlier ones, the latest first.
        sites: those of all published runs.
        sentences: the result of the run.
    """

    name: str
    publications: Sequence[Publication]
    sites: Sequence[SearchableSite]
    sentences: Sequence[str] = ()

    @property
    def published(self) -> Publication:
        """That of the run."""
        return self.publications[0]


def banner(page: LakePage) -> Banner:
    """The published run."""
    published, report = page.published, page.published.report
    run, moment = Span(published.record.run_id, "bold"), f"{published.moment:%Y-%m-%d %H:%M} UTC"
    link = [Span("Report of this run", "link", address=report)] if report else []
    return Banner(
        title=f"{page.name} · {published.record.run_id}",
        provenance=f"cqa-spark {published.record.code_version}",
        eyebrow=("Lake ", Span(page.name, "bold"), " · run ", run, f" of {moment}"),
        heading=page.sites[0].name if len(page.sites) == 1 else page.name,
        sentences=[*page.sentences, *link],
    )


def runs(page: LakePage) -> list[Block]:
    """The published runs, with links to their reports."""
    rows = []
    for publication in page.publications:
        record, score = publication.record, NO_VALUE
        if record.scores:
            main = record.scores[0]
            score = Cell(points(main.value), f"{main.measure}, {main.system}")
        report: Words = Span("report", "link", address=publication.report) if publication.report else MISSING
        moment = Cell(f"{publication.moment:%Y-%m-%d %H:%M}")
        rows.append(Row(record.run_id, (moment, score, Cell(report), Cell(record.message or "this run"))))
    about: Words = (
        "The last published runs, the latest first. Reports of earlier ones are linked as long as their files are "
        "kept. ", Span("cqa runs list", "code"), " shows all runs.",
    )  # fmt: skip
    table = Table("", "", ("Run", "End", "Score", "Report", "About"), rows, ("End", "Report", "About"), style="grid")
    return [Text(about, "legend"), table]


HEAD: Head[LakePage, LakePage] = Head(itself, banner)

THREADS: Section[LakePage, LakePage] = Section(
    "threads", "Threads", itself, lambda page: fragment("sections/lake_threads.html.j2", page=page)
)
RUNS: Section[LakePage, LakePage] = Section("runs", "Runs", itself, runs)
