"""The page of a lake: what is published, its threads to search, and the runs before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cqa_spark.lake.run_log import RunRecord
from cqa_spark.reports.kit.page import rendering
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


HEAD: Head[LakePage, LakePage] = Head(
    itself,
    rendering("sections/lake_header.html.j2", "page"),
    title=lambda page: f"{page.name} · {page.published.record.run_id}",
    provenance=lambda page: f"cqa-spark {page.published.record.code_version}",
)

THREADS: Section[LakePage, LakePage] = Section(
    "threads", "Threads", itself, rendering("sections/lake_threads.html.j2", "page")
)
RUNS: Section[LakePage, LakePage] = Section("runs", "Runs", itself, rendering("sections/lake_runs.html.j2", "page"))
