"""Question lists → the community tables of a run: tables whose rows are parsed line by line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.corpora.inputs import find_inputs
from cqa_spark.corpora.question_list.records import DUPLICATES, QUESTIONS, QuestionListLine, read_records
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.source import DumpFormat
from cqa_spark.corpora.stackexchange.dump_files import site_of
from cqa_spark.corpora.tables.conversion import NUMBER, PROBLEM, RAW
from cqa_spark.corpora.tables.ingest import TABLES, CommunityFiles
from cqa_spark.corpora.tables.locations import Location, bytes_at
from cqa_spark.corpora.whole_files import parse_files, read_whole_files
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import FINGERPRINTS, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK, POST_LINKS
from cqa_spark.lake.schemas.community import POSTS, UNANNOTATED
from cqa_spark.lake.snapshot import Snapshot

_RECORD = T.StructType(
    [
        T.StructField("file", T.IntegerType()),
        T.StructField("byte_offset", T.LongType()),
        *[T.StructField(name, T.StringType()) for name in QuestionListLine._fields[1:]],
    ]
)
_VALUES: Mapping[str, Mapping[str, str]] = {
    POSTS.name: {
        "post_id": "post_id", "post_type": "'question'", "thread_id": "post_id", "subject": "title", "body": "body",
    },
    POST_LINKS.name: {
        "link_id": "concat_ws(' ', post_id, related_id)", "post_id": "post_id", "related_post_id": "related_id",
        "link_type_id": str(DUPLICATE_LINK),
    },
}  # fmt: skip
"""By table, the value of each column in SQL; others are null."""


@dataclass(frozen=True)
class QuestionList(CommunityFiles):
    """The questions of a site, and known duplicates: ``given`` are ``questions.jsonl`` and ``duplicates.tsv``."""

    tables = (POSTS, POST_LINKS, QUARANTINE, FINGERPRINTS, INGESTED_FILES)

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int:
        """Bytes of both files, unless the published run has read them."""
        is_read = last is not None and self.is_unchanged(last, code_version)
        return 0 if is_read else sum(bytes_at(path, self.storage) for path in self.given.values())

    def _locations(self) -> dict[str, Location]:
        return {name: Location(path, (path,)) for name, path in self.given.items()}

    def _rows(self, spark: SparkSession, name: str, location: Location) -> DataFrame:
        """The records of a file, with the columns of ``converted`` and their byte offsets as numbers."""
        parse = partial(_records, name == POSTS.name)
        records = parse_files(read_whole_files(spark, [location.name]), parse, _RECORD)
        texts = {"site": self.site, "source_file": location.name, "split": UNANNOTATED}
        values = {name: F.lit(text) for name, text in texts.items()}
        values |= {column: F.expr(value) for column, value in _VALUES[name].items()}
        columns = [
            values.get(column.name, F.lit(None)).cast(column.dataType).alias(column.name)
            for column in TABLES[name].columns
        ]
        return records.select(
            *columns, F.col("problem").alias(PROBLEM), F.col("raw").alias(RAW), F.col("byte_offset").alias(NUMBER)
        )

    def _read(self, tables: SiteTables) -> tuple[Sequence[str], list[Entry], list[Entry]]:
        sites, files, accounts = super()._read(tables)
        if not any(account["rows_out"] for account in accounts if account["table_name"] == POSTS.name):
            paths = ", ".join(self.given.values())
            raise InputError(f"no question in {paths}", 'a line should read: {"qid": 7, "title": "…"}')
        return sites, files, accounts


def question_lists(settings: DumpJobSettings, *, full: bool = False) -> list[QuestionList]:
    """The list that the settings name.

    Args:
        settings: location of the files.
        full: also read a list that the published run has read.

    Raises:
        InputError: a file is missing or unreadable, no questions are among them, or two are of one kind.
    """
    patterns = (QUESTIONS, DUPLICATES)
    paths = [
        file.path for file in find_inputs(settings.dumps.input, UNANNOTATED, settings.object_storage, patterns=patterns)
    ]
    given = {(POSTS if _holds_questions(path) else POST_LINKS).name: path for path in paths}
    if POSTS.name not in given:
        raise InputError(f"no {QUESTIONS} among the input", "name the folder that holds it with --input")
    if len(given) < len(paths):
        raise InputError(f"several files of a kind: {', '.join(paths)}", "name the two files of one list")
    source = QuestionList.of_settings(given, settings, full=full)
    return [replace(source, site=settings.dumps.site or site_of(given[POSTS.name]))]


QUESTION_LIST = DumpFormat("questions of a site, and known duplicates", QuestionList.of_settings, question_lists)


def _holds_questions(path: str) -> bool:
    return PurePosixPath(path).name.lower() != DUPLICATES


def _records(are_questions: bool, file: int, content: bytes) -> Iterator[dict[str, Any]]:
    return (record._asdict() for record in read_records(content, are_questions=are_questions))
