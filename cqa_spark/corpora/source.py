"""Source formats and their names: sources are found before Spark starts, and ingested into a run.

Annotated files are given by split; dumps are complete sites.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.corpora.erasure import leave_out_forgotten
from cqa_spark.corpora.inputs import (
    DUMPS,
    InputFile,
    find_inputs,
    input_bytes,
    input_records,
    names_in,
    refuse_repeated_paths,
)
from cqa_spark.corpora.stackexchange.dump_files import is_dump_table
from cqa_spark.errors import ConfigError, EnvironmentProblem, InputError
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.plugins import PluginKind
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote


class Source(ABC):
    """Files of one format.

    Attributes:
        tables: tables that ``ingest`` may write.
        task_imports: slow modules that tasks import to read the files.
    """

    tables: ClassVar[tuple[Table | JournalTable, ...]]
    task_imports: ClassVar[tuple[str, ...]] = ()

    def find(self) -> None:  # noqa: B027  dumps are found before their source is made
        """Find the files, without Spark.

        Raises:
            InputError: one is missing, unreadable or named twice.
        """

    def is_unchanged(self, last: Snapshot, code_version: str) -> bool:
        """Whether a published run has read these files with the same code and settings; without Spark.

        Args:
            last: the published run.
            code_version: of the code that reads the files.
        """
        return False

    @abstractmethod
    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int | None:
        """Bytes of text that ``ingest`` will read, an estimate for compressed files; None if unknown; without Spark.

        Args:
            last: the published run; None to count all files.
            code_version: of the code that reads the files.
        """

    @abstractmethod
    def ingest(self, run: Run) -> None:
        """Write community tables, quarantine and record counts of every file; record the parts as steps of the run.

        Raises:
            InputError: a file is truncated, or too many records were quarantined.
            ContractError: record counts disagree between the files and the tables.
        """


@dataclass(frozen=True)
class DumpFormat:
    """A format of dumps.

    Attributes:
        about: description, one sentence.
        source: creates the source of one dump per site, from its files and a job's settings.
        find: finds the dumps named in a job's settings; several dumps of a site are in order of time.
        plan: finds them for a dry run, which unpacks and writes nothing, and refuses what the job would refuse, as far
            as listings and the ends of local files show it; None if ``find`` does so.
    """

    about: str
    source: Callable[..., Source]
    find: Callable[..., Sequence[Source]]
    plan: Callable[..., Sequence[Source]] | None = None


@dataclass(frozen=True)
class CommunityTables:
    """A corpus as community tables with their declared schemas.

    All tables share one parse, which stays persisted until the scope ends (``persistence_scope``).

    Attributes:
        posts: conforms to ``POSTS``.
        comments: conforms to ``COMMENTS``.
        users: conforms to ``USERS``.
        judgments: conforms to ``JUDGMENTS``.
        quarantine: conforms to ``QUARANTINE``.
        ingested_files: columns of ``INGESTED_FILES``; one row per input, including empty ones.
    """

    posts: DataFrame
    comments: DataFrame
    users: DataFrame
    judgments: DataFrame
    quarantine: DataFrame
    ingested_files: DataFrame


@dataclass(frozen=True)
class AnnotatedFiles(Source):
    """Files with judgments.

    Attributes:
        patterns: names of the files that are read from a directory, in lower case.
        default_site: the community of the files if none is named; empty if it has to be named.
        by_split: paths of files and folders by split.
        site: the community that the rows belong to.
        storage: object storage settings.
    """

    patterns: ClassVar[tuple[str, ...]] = (DUMPS,)
    default_site: ClassVar[str] = ""

    by_split: Mapping[str, Sequence[str]]
    site: str
    storage: ObjectStorageSettings

    tables = (POSTS, COMMENTS, USERS, JUDGMENTS, QUARANTINE, INGESTED_FILES)

    @cached_property
    def inputs(self) -> list[InputFile]:
        """The files.

        Raises:
            InputError: there is none, one is missing, unreadable or named twice, or a folder contains none of the
                format.
        """
        inputs: list[InputFile] = []
        for split, paths in self.by_split.items():
            inputs += find_inputs(paths, split, self.storage, patterns=self.patterns)
        if not inputs:
            raise InputError("no input files", "name at least one file or directory")
        refuse_repeated_paths(inputs)
        return inputs

    def find(self) -> None:
        """Find the files."""
        assert self.inputs is not None

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int | None:
        """Bytes of the files, which are always read."""
        return input_bytes(self.inputs)

    @abstractmethod
    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files.

        Raises:
            InputError: a file cannot be read.
        """

    def ingest(self, run: Run) -> None:
        """Write posts, comments, users, judgments, quarantine and the counts of every file."""
        run.add_inputs(input_records(self.inputs))
        with run.step("ingest") as counts:
            community = self.read(run.lake.spark)
            tables: dict[Table, DataFrame] = {
                POSTS: community.posts,
                COMMENTS: community.comments,
                USERS: community.users,
                JUDGMENTS: community.judgments,
                QUARANTINE: community.quarantine,
            }
            run.write_together(tables)
            files = [row.asDict() for row in community.ingested_files.collect()]
            counts.rows_in, counts.rows_out, counts.rows_quarantined = check_accounting(files)
        run.write_entries(INGESTED_FILES, leave_out_forgotten(run, run.files(POSTS).sites, [*tables], files))


CORPORA: PluginKind[type[AnnotatedFiles] | DumpFormat] = PluginKind("corpora", "source format")


def file_source(
    corpus: str, by_split: Mapping[str, Sequence[str]], *, site: str, storage: ObjectStorageSettings
) -> Source:
    """Annotated files of a format.

    Args:
        corpus: name of the format.
        by_split: paths of files and folders by split.
        site: the community of the rows.
        storage: object storage settings.

    Raises:
        ConfigError: unknown format; the known ones are listed.
        InputError: a path holds a dump.
    """
    source = require_file_format(corpus)
    refuse_dumps(corpus, [path for paths in by_split.values() for path in paths])
    return source(by_split, site, storage)


def refuse_dumps(corpus: str, paths: Iterable[str]) -> None:
    """Refuse dumps of Stack Exchange as annotated files.

    Args:
        corpus: name of a format of annotated files.
        paths: of files and folders; addresses are not looked at.

    Raises:
        InputError: one of them is, or holds, a table of a dump, or cannot be read.
    """
    for path in (Path(path) for path in paths if not is_remote(path)):
        tables = [file for file in (path, *(path / name for name in names_in(path))) if is_dump_table(file.name)]
        if table := min(tables, default=None):
            raise InputError(
                f"{table} is a table of a Stack Exchange dump, and files of {corpus} are expected",
                "rank dumps with a system for them: cqa nightly --system night_answers; cqa systems list has others",
            )


def dump_sources(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Sequence[Source]:
    """The input that the settings name: dumps, of which several of a site are in order of time, or annotated files.

    Args:
        source_format: its name; annotated files are those of one site, and their queries are in the split test.
        settings: location of the input, and tables to read.
        full: also read sites whose files the published run has read.

    Raises:
        ConfigError: unknown format; the known ones are listed. Or annotated files without the name of a site.
        InputError: there is no input, or it cannot be read.
    """
    source = require_format(source_format)
    if isinstance(source, DumpFormat):
        return source.find(settings, full=full)
    return [
        file_source(
            source_format,
            {"test": settings.dumps.input},
            site=site_of(source_format, settings),
            storage=settings.object_storage,
        )
    ]


def one_dump(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Source:
    """The input of a job that takes one dump of each site; the arguments are those of ``dump_sources``.

    Raises:
        InputError: a site has several dumps.
    """
    return _only_one(dump_sources(source_format, settings, full=full))


def planned_dump(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Source:
    """The input as ``one_dump`` finds it, for a dry run; see ``planned_dumps``.

    Raises:
        InputError: a site has several dumps.
    """
    return _only_one(planned_dumps(source_format, settings, full=full))


def planned_dumps(source_format: str, settings: DumpJobSettings, *, full: bool = False) -> Sequence[Source]:
    """The input as ``dump_sources`` finds it, for a dry run, which unpacks and writes nothing.

    Archives, and files in object storage that does not answer, are only declared.

    Raises:
        InputError: as for ``dump_sources``, as far as listings and the ends of local files show it.
    """
    source = require_format(source_format)
    if not isinstance(source, DumpFormat):
        refuse_dumps(source_format, settings.dumps.input)
        return [source({}, "", settings.object_storage)]
    try:
        return (source.plan or source.find)(settings, full=full)
    except EnvironmentProblem as error:
        if not any(map(is_remote, settings.dumps.input)):
            raise
        Terminal(stderr=True).line(f"warning: the input was not searched: {error.problem}")
    return [source.source((), settings)]


def _only_one(sources: Sequence[Source]) -> Source:
    if len(sources) > 1:
        raise InputError(f"{len(sources)} dumps of one site", "name one of them with --input; the job takes one dump")
    return sources[0]


def site_of(source_format: str, settings: DumpJobSettings) -> str:
    """The site of annotated files: that of the settings, or that of the format.

    Raises:
        ConfigError: neither names one.
    """
    site = settings.dumps.site or require_file_format(source_format).default_site
    if not site:
        raise ConfigError(f"the files of {source_format} name no site", "name it with --site")
    return site


def is_of_dumps(source_format: str) -> bool:
    """Whether a format is one of dumps, not of annotated files; errors as for ``require_format``."""
    return isinstance(require_format(source_format), DumpFormat)


def require_format(name: str) -> type[AnnotatedFiles] | DumpFormat:
    """The format of this name.

    Raises:
        ConfigError: unknown format; the known ones are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    return CORPORA.load(name)


def require_file_format(corpus: str) -> type[AnnotatedFiles]:
    """The format of annotated files of this name.

    Raises:
        ConfigError: unknown format, or one of dumps; the known ones are listed.
        EnvironmentProblem: its module cannot be imported.
    """
    source = CORPORA.load(corpus)
    if isinstance(source, DumpFormat):
        known = [name for name, format_ in CORPORA.load_all().items() if not isinstance(format_, DumpFormat)]
        raise ConfigError(f"{corpus} is a format of dumps", f"formats of annotated files: {', '.join(known)}")
    return source
