"""Question lists → the community tables of a run."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.corpora.accounting import FileAccount, check_accounting
from cqa_spark.corpora.fingerprints import dump_bytes, fingerprints, input_record
from cqa_spark.corpora.forgetting import leave_out_forgotten
from cqa_spark.corpora.inputs import InputFile, find_inputs
from cqa_spark.corpora.quarantine import quarantined, refuse_bad_fraction
from cqa_spark.corpora.question_list.records import DUPLICATES, QUESTIONS, QuestionListLine, read_records
from cqa_spark.corpora.site_tables import SiteTables, changed_sites
from cqa_spark.corpora.source import DumpFormat, Source
from cqa_spark.corpora.stackexchange.dump_files import site_of
from cqa_spark.corpora.whole_files import of_file, parse_files, read_whole_files
from cqa_spark.errors import InputError
from cqa_spark.lake.forgotten import read_forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import FINGERPRINTS, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK, POST_LINKS
from cqa_spark.lake.schemas.community import POSTS, UNANNOTATED
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persisted

_RECORD = T.StructType(
    [
        T.StructField("file", T.IntegerType()),
        T.StructField("lines", T.LongType()),
        T.StructField("byte_offset", T.LongType()),
        *[T.StructField(name, T.StringType()) for name in QuestionListLine._fields[1:]],
    ]
)


@dataclass(frozen=True)
class QuestionList(Source):
    """The questions of a site, and known duplicates.

    Attributes:
        files: ``questions.jsonl``, and ``duplicates.tsv`` where duplicates are known.
        settings: site name and error tolerance.
        full: also read files that the published run has read.
    """

    files: Sequence[InputFile]
    settings: DumpJobSettings
    full: bool = False

    tables = (POSTS, POST_LINKS, QUARANTINE, FINGERPRINTS, INGESTED_FILES)

    def find(self) -> None:
        """The files are found before the source is made."""

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int:
        """Bytes of both files, unless the published run has read them."""
        published = last.entries_or_none(FINGERPRINTS) if last is not None else []
        files = self._fingerprints(published, code_version, last.lake if last is not None else None)
        return dump_bytes(files) if self._have_changed(files, published) else 0

    def ingest(self, run: Run) -> None:
        """Write posts, links, quarantine and the counts of every file, if a file changed since the published run."""
        tables = SiteTables.of_run(run, [self.site])
        published = tables.published_entries(FINGERPRINTS)
        files = self._fingerprints(published, run.record.code_version, run.lake)
        run.add_inputs(list(map(input_record, files)))
        tables.write_entries(FINGERPRINTS, files)
        if self._have_changed(files, published):
            self._read(tables)
        else:
            tables.write_entries(INGESTED_FILES, tables.published_entries(INGESTED_FILES))
            tables.keep_others((POSTS, POST_LINKS, QUARANTINE))

    def _have_changed(self, files: Iterable[Entry], published: Iterable[Entry]) -> bool:
        return self.full or bool(changed_sites([self.site], files, published, {POSTS.name, POST_LINKS.name}))

    def _fingerprints(self, published: Iterable[Entry], code_version: str, lake: Lake | None) -> list[Entry]:
        filled = [(self.site, file.path, _table(file.path).name) for file in self.files]
        forgotten = read_forgotten(lake.objects) if lake is not None else ()
        return fingerprints(filled, published, self.settings.object_storage, code_version, forgotten)

    def _read(self, tables: SiteTables) -> None:
        run, paths = tables.run, [file.path for file in self.files]
        content = read_whole_files(run.lake.spark, paths)
        parsed = parse_files(content, partial(_rows, [_holds_questions(path) for path in paths]), _RECORD)
        source = {"site": F.lit(self.site), "source_file": of_file(paths), "split": F.lit(UNANNOTATED)}
        with persisted(parsed) as (records,), run.step("question list") as counts:
            usable = records.where("post_id IS NOT NULL AND problem IS NULL").withColumns(source)
            tables.write(POSTS, POSTS.complete(_posts(usable)))
            tables.write(POST_LINKS, POST_LINKS.complete(_links(usable)))
            tables.write(QUARANTINE, quarantined(records, self.files, self.site))
            accounts = [account._asdict() for account in self._accounts(records, paths)]
            counts.rows_in, counts.rows_out, counts.rows_quarantined = totals = check_accounting(accounts)
            refuse_bad_fraction(totals, tables.of_sites(QUARANTINE), self.settings.dumps.max_bad_fraction)
            if not any(account["rows_out"] for account in accounts if account["table_name"] == POSTS.name):
                raise InputError(f"no question in {', '.join(paths)}", 'a line should read: {"qid": 7, "title": "…"}')
        accounts = leave_out_forgotten(run, [self.site], (POSTS, POST_LINKS, QUARANTINE), accounts)
        tables.write_entries(INGESTED_FILES, accounts)

    @property
    def site(self) -> str:
        """The site that the settings or the folders name."""
        return self.settings.dumps.site or site_of(self.files[0].path)

    def _accounts(self, records: DataFrame, paths: Sequence[str]) -> Iterator[FileAccount]:
        counted = records.groupBy("file").agg(
            F.max("lines").alias("lines"), F.count("byte_offset").alias("found"), F.count("problem").alias("refused")
        )
        for row in counted.collect():
            table, rows = _table(paths[row["file"]]), row["found"]
            yield FileAccount(
                site=self.site,
                source_file=paths[row["file"]],
                split=UNANNOTATED,
                table_name=table.name,
                lines=row["lines"],
                not_rows=row["lines"] - rows,
                is_complete=None,
                rows_in=rows,
                rows_out=rows - row["refused"],
                rows_quarantined=row["refused"],
            )


def question_lists(settings: DumpJobSettings, *, full: bool = False) -> list[QuestionList]:
    """The list that the settings name.

    Args:
        settings: location of the files.
        full: also read a list that the published run has read.

    Raises:
        InputError: a file is missing or unreadable, or no questions are among them.
    """
    patterns = (QUESTIONS, DUPLICATES)
    files = find_inputs(settings.dumps.input, UNANNOTATED, settings.object_storage, patterns=patterns)
    if not any(_holds_questions(file.path) for file in files):
        raise InputError(f"no {QUESTIONS} among the input", "name the folder that holds it with --input")
    return [QuestionList(files, settings, full)]


QUESTION_LIST = DumpFormat("questions of a site, and known duplicates", QuestionList, question_lists)


def _holds_questions(path: str) -> bool:
    return PurePosixPath(path).name.lower() != DUPLICATES


def _table(path: str) -> Table:
    """The table that a file fills."""
    return POSTS if _holds_questions(path) else POST_LINKS


def _rows(are_questions: Sequence[bool], file: int, content: bytes) -> Iterator[dict[str, Any]]:
    """A row with the number of lines, then a row for every record."""
    yield {"lines": len(content.splitlines())}
    for record in read_records(content, are_questions=are_questions[file]):
        yield record._asdict()


def _posts(records: DataFrame) -> DataFrame:
    return records.where("title IS NOT NULL").select(
        "site",
        "post_id",
        F.lit("question").alias("post_type"),
        F.col("post_id").alias("thread_id"),
        F.col("title").alias("subject"),
        "body",
        "split",
        "source_file",
    )


def _links(records: DataFrame) -> DataFrame:
    return records.where("related_id IS NOT NULL").select(
        "site",
        _link_id().alias("link_id"),
        "post_id",
        F.col("related_id").alias("related_post_id"),
        F.lit(DUPLICATE_LINK).cast("int").alias("link_type_id"),
        "source_file",
    )


def _link_id() -> Column:
    return F.concat_ws(" ", "post_id", "related_id")
