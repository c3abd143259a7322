"""Base class of formats of annotated files: files by split, read into the community tables of a run."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.corpora.forgetting import leave_out_forgotten
from cqa_spark.corpora.inputs import DUMPS, InputFile, find_inputs, input_bytes, input_records, refuse_repeated_paths
from cqa_spark.corpora.source import Source
from cqa_spark.errors import InputError
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.spark.concurrency import run_concurrently


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
        inputs = [
            each
            for split, paths in self.by_split.items()
            for each in find_inputs(paths, split, self.storage, patterns=self.patterns)
        ]
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
            tables = [
                (POSTS, community.posts),
                (COMMENTS, community.comments),
                (USERS, community.users),
                (JUDGMENTS, community.judgments),
                (QUARANTINE, community.quarantine),
            ]
            run_concurrently(lambda each: run.write(*each), tables)
            files = [row.asDict() for row in community.ingested_files.collect()]
            counts.rows_in, counts.rows_out, counts.rows_quarantined = check_accounting(files)
        read = [table for table, _ in tables]
        run.write_entries(INGESTED_FILES, leave_out_forgotten(run, run.files(POSTS).sites, read, files))
