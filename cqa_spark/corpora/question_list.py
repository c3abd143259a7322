"""Question lists, a site's questions and known duplicates, → the community tables of a run.

A list is two files: a JSON object per question, and a pair of ids per duplicate; each line is parsed on its own.
Subforums of CQADupStack are written as such lists, and test collections of ir_datasets (``ir_datasets.py``).
"""

import html
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.inputs import find_inputs
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.source import DumpFormat
from cqa_spark.corpora.stackexchange.dump_files import site_of
from cqa_spark.corpora.tables import TABLES, CommunityFiles
from cqa_spark.corpora.tables_conversion import NUMBER, PROBLEM, RAW, Location, bytes_at
from cqa_spark.corpora.whole_files import parse_files, read_whole_files
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import FINGERPRINTS, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import DUPLICATE_LINK, POST_LINKS
from cqa_spark.lake.schemas.community import POSTS, UNANNOTATED
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.settings.dumps import DumpJobSettings

QUESTIONS, DUPLICATES = "questions.jsonl", "duplicates.tsv"

_SUFFIX = "_questions.json"
_REMEDY = "give the archive of one subforum, such as android.zip, which holds android/android_questions.json"


class ListCounts(NamedTuple):
    """Number of lines in each file of a list.

    Attributes:
        questions: lines of ``questions.jsonl``.
        duplicates: lines of ``duplicates.tsv``.
    """

    questions: int
    duplicates: int


def write_list(
    folder: Path, questions: Iterable[Mapping[str, Any]], duplicates: Iterable[tuple[str, Any]]
) -> ListCounts:
    """Write the files of a list.

    Args:
        folder: existing folder for the files.
        questions: objects with ``qid``, ``title`` and perhaps ``body``; they are streamed.
        duplicates: ids of questions, with the ids of the earlier ones that they duplicate.
    """
    lines = {
        QUESTIONS: (json.dumps(question, ensure_ascii=False) for question in questions),
        DUPLICATES: (f"{question}\t{earlier}" for question, earlier in duplicates),
    }
    counts = dict.fromkeys(lines, 0)
    for name, of_file in lines.items():
        with (folder / name).open("w", encoding="utf-8") as file:
            for line in of_file:
                file.write(f"{line}\n")
                counts[name] += 1
    return ListCounts(counts[QUESTIONS], counts[DUPLICATES])


class QuestionListLine(NamedTuple):
    r"""A line of a file.

    Attributes:
        byte_offset: where it starts.
        raw: the line; bytes that are not UTF-8 as ``\xNN``.
        problem: why it cannot be used, one sentence; None where it can.
        post_id: id of the question.
        related_id: the earlier question that it duplicates; None in lists of questions.
        title: the question's title, without HTML entities; None in lists of duplicates.
        body: its text; None where there is none.
    """

    byte_offset: int
    raw: str
    problem: str | None = None
    post_id: str | None = None
    related_id: str | None = None
    title: str | None = None
    body: str | None = None


class UnreadableRecord(Exception):
    """A line that is no record; the message goes to the quarantine."""


def read_records(content: bytes, *, are_questions: bool) -> Iterator[QuestionListLine]:
    """Parse the lines of a file, in order; blank ones are left out.

    Args:
        content: the file.
        are_questions: whether lines are questions; otherwise they are duplicates.
    """
    offset, earlier_ids = 0, set[tuple[str | None, str | None]]()
    for line in content.splitlines(keepends=True):
        record = QuestionListLine(offset, line.decode("utf-8", "backslashreplace").strip("\r\n"))
        offset += len(line)
        if not record.raw.strip():
            continue
        try:
            read = _question(record) if are_questions else _duplicate(record)
            if (read.post_id, read.related_id) in earlier_ids:
                raise UnreadableRecord("the record repeats an earlier one")
            earlier_ids.add((read.post_id, read.related_id))
            yield read
        except UnreadableRecord as unreadable:
            yield record._replace(problem=str(unreadable))


def _question(record: QuestionListLine) -> QuestionListLine:
    try:
        values = json.loads(record.raw)
    except ValueError as error:
        raise UnreadableRecord("the line is not JSON") from error
    if not isinstance(values, dict):
        raise UnreadableRecord("the line is not a JSON object")
    if missing := [name for name in ("qid", "title") if name not in values]:
        raise UnreadableRecord(f"the object has no {' and no '.join(missing)}: it has {', '.join(values) or 'nothing'}")
    title, body = values["title"], values.get("body")
    if not isinstance(title, str) or not title.strip() or not isinstance(body, str | None):
        raise UnreadableRecord("the title is not a text or empty, or the body is neither a text nor absent")
    return record._replace(post_id=_id(values["qid"]), title=html.unescape(title), body=body)


def _duplicate(record: QuestionListLine) -> QuestionListLine:
    ids = record.raw.split("\t")
    if len(ids) != 2:
        raise UnreadableRecord(f"the line has {len(ids)} columns, not question<TAB>earlier question")
    question, earlier = map(_id, ids)
    return record._replace(post_id=question, related_id=earlier)


def _id(value: object) -> str:
    text = str(value)
    if isinstance(value, bool) or not isinstance(value, int | str) or text.split() != [text]:
        raise UnreadableRecord(f"{value!r} is no id of a question")
    return text


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
    """The questions of a site, in ``questions.jsonl``, and known duplicates, in ``duplicates.tsv``."""

    tables = (POSTS, POST_LINKS, QUARANTINE, FINGERPRINTS, INGESTED_FILES)

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int:
        """Bytes of both files, unless the published run has read them."""
        is_read = last is not None and self.is_unchanged(last, code_version)
        return 0 if is_read else sum(bytes_at(path, self.storage) for path in self.location_names.values())

    def _locations(self) -> dict[str, Location]:
        return {name: Location(path, (path,)) for name, path in self.location_names.items()}

    def _rows(self, spark: SparkSession, name: str, location: Location) -> DataFrame:
        """The records of a file, with the columns of ``converted`` and their byte offsets as numbers."""
        parse = partial(_records, name == POSTS.name)
        records = parse_files(read_whole_files(spark, [location.name], self.storage), parse, _RECORD)
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
            paths = ", ".join(self.location_names.values())
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
    by_table = {}
    for path in paths:
        is_duplicates = PurePosixPath(path).name.lower() == DUPLICATES
        by_table[POST_LINKS.name if is_duplicates else POSTS.name] = path
    if POSTS.name not in by_table:
        raise InputError(f"no {QUESTIONS} among the input", "name the folder that holds it with --input")
    if len(by_table) < len(paths):
        raise InputError(f"several files of a kind: {', '.join(paths)}", "name the two files of one list")
    source = QuestionList.of_settings(by_table, settings, full=full)
    return [replace(source, site=settings.dumps.site or site_of(by_table[POSTS.name]))]


QUESTION_LIST = DumpFormat("questions of a site, and known duplicates", QuestionList.of_settings, question_lists)


def _records(are_questions: bool, file: int, content: bytes) -> Iterator[dict[str, Any]]:
    return (record._asdict() for record in read_records(content, are_questions=are_questions))


def write_subforum(archive: Path, folder: Path) -> ListCounts:
    """Write the questions of a subforum, and the duplicates that its users named.

    The questions are held in memory. Values that are no text, list or id are written as they are: reading the list puts
    them into quarantine.

    Args:
        archive: the zip file of one subforum.
        folder: existing folder for the files.

    Raises:
        InputError: it is no zip file, or holds no questions of this layout.

    Source:
        Hoogeveen, Verspoor and Baldwin 2015, CQADupStack: A Benchmark Data Set for Community Question-Answering
        Research, ADCS, and its script query_cqadupstack.py.
    """
    questions = _subforum_questions(archive)
    rows: list[dict[str, Any]] = []
    duplicates: list[tuple[str, Any]] = []
    for question_id, values in questions.items():
        fields = values if isinstance(values, dict) else {}
        rows.append({"qid": question_id} | {key: fields[key] for key in ("title", "body") if key in fields})
        duplicates += [(question_id, earlier) for earlier in fields.get("dups", [])]
    return write_list(folder, rows, duplicates)


def _subforum_questions(archive: Path) -> Mapping[str, Any]:
    """The questions of an archive by id."""
    try:
        with zipfile.ZipFile(archive) as files:
            names = [name for name in files.namelist() if name.endswith(_SUFFIX)]
            if len(names) != 1:
                raise InputError(f"{archive} has {len(names)} files *{_SUFFIX}, not one", _REMEDY)
            questions = json.loads(files.read(names[0]))
    except (zipfile.BadZipFile, ValueError) as error:
        raise InputError(f"{archive} cannot be read: {error}", _REMEDY) from error
    if not isinstance(questions, dict):
        raise InputError(f"{names[0]} in {archive} is not a JSON object of questions by id", _REMEDY)
    return questions
