"""``cqa ingest``, ``ingest stackexchange`` and ``ingest tables``: files, dumps and tables → community tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.sections import Corpus, Inputs, JobSettings, SettingsSection, Site
from cqa_spark.settings.values import InputFile, NotHashed, Shown, SiteName

if TYPE_CHECKING:
    from cqa_spark.corpora.source import Source
    from cqa_spark.runtime.flow import Flow


class IngestSettings(JobSettings):
    """Read dumps into community tables; records that cannot be parsed are quarantined."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa ingest --lake build/lake --run-id mine --train train.xml --dev dev.xml",
    )

    site: Site = "qatarliving.com"
    corpus: Corpus = "qatar_living"
    inputs: Inputs = Inputs()

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """No input files."""
        inputs = values.get("inputs")
        if not isinstance(inputs, Mapping) or not any(inputs.values()):
            yield "inputs", "no input files", "give --train, --dev, --test or --unannotated FILE"

    def reads(self) -> list[str]:
        """The input files, by split."""
        return [f"{path} ({split})" for split, paths in self.inputs.by_split().items() for path in paths]


def files_flow(settings: IngestSettings) -> Flow:
    """Files → community tables."""
    from cqa_spark.flows import annotated_files
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.ingest import Ingest

    source = annotated_files(settings, settings.inputs.by_split())
    return Flow("ingest", (Ingest(source, settings.corpus),))


def ingest(settings: IngestSettings) -> None:
    """Read annotated files into community tables of a new run."""
    from cqa_spark.runtime.workspace import run_flow

    run_flow(files_flow(settings), settings)


class IngestStackExchangeSettings(DumpJobSettings):
    """Read Stack Exchange dumps into community tables; records that cannot be parsed are quarantined."""

    examples = (
        "cqa ingest stackexchange --input beer.stackexchange.com/ --lake build/lake",
        "cqa ingest stackexchange --input dumps/*.7z --lake build/lake --run-id september",
        "cqa ingest stackexchange --input Posts.xml --site example.org --tables posts --lake build/lake --dry-run",
    )
    writing = ("{job.lake}: community tables of run {job.new_run}",)
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True


def planned_dump_flows(settings: IngestStackExchangeSettings) -> list[Flow]:
    """A flow for each dump of a site, the earlier one first, as ``--dry-run`` prints them."""
    from cqa_spark.corpora.source import planned_dumps

    return _dump_flows(planned_dumps("stackexchange", settings), settings)


def _dump_flows(sources: Iterable[Source], settings: IngestStackExchangeSettings) -> list[Flow]:
    return [ingest_dump(source, "stackexchange", publish=settings.publish) for source in sources]


def ingest_stackexchange(settings: IngestStackExchangeSettings) -> None:
    """Read dumps into community tables, and publish them.

    If a site has several dumps, each becomes a separate run, the earlier one first.
    """
    from cqa_spark.corpora.stackexchange.ingest import refuse_unreadable, stackexchange_dumps
    from cqa_spark.runtime.workspace import new_run_id, run_flow_in, write_lake

    dumps = stackexchange_dumps(settings)
    refuse_unreadable(dumps, settings)
    first_id = settings.run_id or new_run_id(settings)
    with write_lake(settings, "ingest stackexchange") as lake:
        for number, flow in enumerate(_dump_flows(dumps, settings), start=1):
            run_id = first_id if number == 1 else f"{first_id}-{number}"
            run_flow_in(lake, flow, settings.model_copy(update={"run_id": run_id}))
            Terminal().line(f"run: {run_id}{', published' if settings.publish else ''}")
    Terminal().line(f"look at it: cqa inspect --lake {settings.lake}")


TableLocation = Annotated[str | None, NotHashed(), Shown("TABLE")]


def _table(about: str) -> Any:
    return Field(default=None, description=about)


class CommunityTableSettings(SettingsSection):
    """Tables: files (.parquet, .csv, .jsonl), folders of them, Delta tables, or tables of Spark's catalogue."""

    flag_prefix = ""

    posts: TableLocation = _table("questions and answers: post_id, and of an answer thread_id, its question")
    comments: TableLocation = _table("comments: comment_id, post_id")
    users: TableLocation = _table("accounts: user_id")
    votes: TableLocation = _table("votes: vote_id, post_id, vote_type_id (1 accepted, 2 up, 3 down)")
    badges: TableLocation = _table("badges: badge_id, user_id")
    tags: TableLocation = _table("tags: tag_id")
    post_links: TableLocation = _table("links: link_id, post_id, related_post_id, link_type_id (3 duplicate)")
    post_history: TableLocation = _table("revisions: history_id, history_type_id, post_id")
    judgments: TableLocation = _table("judged pairs: task, query_id, candidate_id, thread_id, split, label")
    database: Annotated[InputFile | None, NotHashed(), Shown("FILE")] = _table(
        "description of a Postgres, MySQL or SQLite database to read in place of tables, such as "
        "conf/databases/discourse.yaml"
    )
    site: SiteName | None = Field(default=None, description="site of all rows; default: the column site of the tables")
    max_bad_fraction: float = Field(default=0.001, ge=0, le=1, description="maximum share of quarantined rows")

    def locations(self) -> dict[str, str]:
        """The location of each table that is set."""
        return self.model_dump(exclude=set(_NO_TABLES), exclude_none=True)


class IngestTablesSettings(JobSettings):
    """Read tables of questions, answers, comments and votes; rows that do not fit the declared types are quarantined.

    Columns are those of the community tables (docs/reference); missing ones are null, and further ones of posts,
    comments and others are kept as unknown attributes.
    """

    examples = (
        "cqa ingest tables --posts posts.parquet --site forum.example.org --lake build/lake",
        "cqa ingest tables --posts posts.csv --comments comments.csv --votes votes.jsonl --site forum.example.org "
        "--lake build/lake",
        "cqa ingest tables --posts main.forum.posts --votes main.forum.votes --site example.org --lake build/lake",
        "cqa ingest tables --database conf/databases/discourse.yaml --site forum.example.org --lake build/lake",
    )
    writing = ("{job.lake}: community tables of run {job.new_run}",)

    tables: CommunityTableSettings = CommunityTableSettings()
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True
    full: Annotated[bool, NotHashed(), Field(description="also read what the published run has read")] = False

    @classmethod
    def required(cls, values: Mapping[str, Any]) -> tuple[str, ...]:
        """The posts, unless a database has them."""
        return () if _named(values, "database") else ("tables.posts",)

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Tables beside a database."""
        tables = [name for name in CommunityTableSettings.model_fields if name not in _NO_TABLES]
        if _named(values, "database") and (named := [name for name in tables if _named(values, name)]):
            yield (
                f"tables.{named[0]}",
                "a database has all tables",
                "give --database or tables, in commands of their own",
            )

    def reads(self) -> list[str]:
        """The tables that are set, or the description of the database."""
        return [*self.tables.locations().values(), *filter(None, [self.tables.database])]


_NO_TABLES = frozenset({"database", "site", "max_bad_fraction"})


def _named(values: Mapping[str, Any], name: str) -> bool:
    """Whether a location is set in the section of the tables."""
    tables = values.get("tables")
    return isinstance(tables, Mapping) and bool(tables.get(name))


def tables_flow(settings: IngestTablesSettings) -> Flow:
    """The flow of ``cqa ingest tables``."""
    from cqa_spark.corpora.tables import CommunityFiles

    tables = settings.tables
    if tables.database:
        from cqa_spark.corpora.database import of_database
        from cqa_spark.settings.databases import read_database

        described = of_database(
            read_database(tables.database),
            tables.site,
            tables.max_bad_fraction,
            where=tables.database,
            full=settings.full,
        )
        described.find()
        return ingest_dump(described, "database", publish=settings.publish)
    source = CommunityFiles(
        tables.locations(), tables.site, settings.object_storage, tables.max_bad_fraction, settings.full
    )
    return ingest_dump(source, "community_tables", publish=settings.publish)


def ingest_tables(settings: IngestTablesSettings) -> None:
    """Read tables into community tables, and publish them."""
    from cqa_spark.runtime.workspace import new_run_id, run_flow_in, write_lake

    run_id = settings.run_id or new_run_id(settings)
    flow = tables_flow(settings)
    with write_lake(settings, "ingest tables") as lake:
        run_flow_in(lake, flow, settings.model_copy(update={"run_id": run_id}))
    Terminal().line(f"run: {run_id}{', published' if settings.publish else ''}")
    Terminal().line(f"look at it: cqa inspect --lake {settings.lake}")


def ingest_dump(source: Source, corpus: str, *, publish: bool) -> Flow:
    """A dump → community tables.

    Args:
        source: the dump.
        corpus: name of its format.
        publish: publish the run after checks.
    """
    from cqa_spark.runtime.flow import Flow
    from cqa_spark.steps.ingest import Ingest
    from cqa_spark.steps.publish import Publish

    steps = (Ingest(source, corpus),)
    return Flow("ingest", (*steps, Publish()) if publish else steps)


JOBS = (
    Job("ingest", "dumps → community tables", "single steps", IngestSettings, ingest, flow=files_flow, step=1),
    Job(
        "ingest stackexchange",
        "Stack Exchange dumps → community tables",
        "single steps",
        IngestStackExchangeSettings,
        ingest_stackexchange,
        flow=planned_dump_flows,
        step=1,
    ),
    Job(
        "ingest tables",
        "tables in files, in Spark's catalogue or in a database → community tables",
        "single steps",
        IngestTablesSettings,
        ingest_tables,
        flow=tables_flow,
        step=1,
    ),
)
