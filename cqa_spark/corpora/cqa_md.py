"""Reads files of CQA-MD, questions about medicine in Arabic with retrieved pairs, into community tables.

A file is parsed question by question, without entities, document types or network access.

Source: SemEval 2016 and 2017 Task 3, subtask D.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from lxml import etree
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.accounting import file_counts, quarantined
from cqa_spark.corpora.content_check import check_content
from cqa_spark.corpora.source import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.whole_files import DamagedFile, decompressed, of_file, parse_files, read_whole_files
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.spark.frames import persist

LABELS = ("D", "R", "I")
"""Direct answer, related, irrelevant."""

UNKNOWN = ("", "?")

NAMES = "elements Question, Qtext, QApair, QAquestion, QAanswer; attributes QID, QAID, QArel"
"""What a file consists of, for messages."""

OPENING = re.compile(rb"<Question\s")
CLOSING = b"</Question>"


QUESTION_PREFIX = "Q"
"""Prefix that distinguishes ids of questions from ids of pairs, which are numbered independently."""

SHOWN_QUESTIONS = 20

_PAIR = T.StructType(
    [T.StructField(name, T.StringType()) for name in ("pair_id", "label", "question", "answer")]
    + [T.StructField("position", T.IntegerType())]
)
_RECORD = T.StructType(
    [
        T.StructField("file", T.IntegerType()),
        T.StructField("record_count", T.LongType()),
        T.StructField("byte_offset", T.LongType()),
        *[T.StructField(name, T.StringType()) for name in ("raw", "problem", "question_id", "text")],
        T.StructField("pairs", T.ArrayType(_PAIR)),
    ]
)


class CqaMdFiles(AnnotatedFiles):
    """Files of SemEval 2016 and 2017 Task 3, subtask D; they may be compressed by gzip.

    A question becomes a post with its text as subject. A pair becomes a post with the pair's question as subject and
    its answer as body; a pair retrieved for several questions is one post.

    Attributes:
        task: name of the judged task.
    """

    task: ClassVar[str]
    patterns: ClassVar[tuple[str, ...]] = ("*.xml", "*.xml.gz")

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files.

        Raises:
            InputError: a file cannot be read or has no readable question or no text, or a question is in two annotated
                splits.
        """
        inputs = self.inputs
        content = read_whole_files(spark, [file.path for file in inputs], self.storage)
        split = of_file([file.split for file in inputs])
        parsed = persist(parse_files(content, _rows, _RECORD).withColumn("split", split))
        check_content(
            parsed.where("byte_offset is not null"),
            inputs,
            expected=[NAMES] * len(inputs),
            texts={"question": F.array("text"), "question of a pair": F.col("pairs.question"),
                   "answer": F.col("pairs.answer")},
        )  # fmt: skip
        _refuse_shared_between_splits(parsed)
        records = _without_repeats(parsed)
        questions = records.where("problem is null and question_id is not null").select(
            F.lit(self.site).alias("site"), "split", of_file([file.path for file in inputs]).alias("source_file"),
            F.concat(F.lit(QUESTION_PREFIX), "question_id").alias("question_id"), "text", "pairs", "file",
            "byte_offset",
        )  # fmt: skip
        return CommunityTables(
            posts=POSTS.complete(_posts(questions)),
            comments=COMMENTS.empty(spark),
            users=USERS.empty(spark),
            judgments=JUDGMENTS.complete(_judgments(questions, self.task)),
            quarantine=quarantined(records, inputs, self.site),
            ingested_files=file_counts(records, inputs, self.site),
        )


def _rows(file: int, content: bytes) -> Iterator[dict[str, Any]]:
    try:
        text = decompressed(content)
    except DamagedFile as damage:
        yield QuestionRecord(0, "", str(damage))._asdict()
        return
    yield {"record_count": len(OPENING.findall(text))}
    for record in read_questions(text):
        yield {**record._asdict(), "pairs": [pair._asdict() for pair in record.pairs]}


def _refuse_shared_between_splits(parsed: DataFrame) -> None:
    annotated = parsed.where((F.col("split") != UNANNOTATED) & F.col("question_id").isNotNull())
    splits = annotated.groupBy("question_id").agg(F.array_sort(F.collect_set("split")).alias("splits"))
    shared = splits.where(F.size("splits") > 1).orderBy("question_id").limit(SHOWN_QUESTIONS).collect()
    if shared:
        listed = ", ".join(f"{row['question_id']} ({' and '.join(row['splits'])})" for row in shared)
        raise InputError(f"questions in several splits: {listed}", "keep each question in one split")


def _without_repeats(parsed: DataFrame) -> DataFrame:
    """Mark repeated questions with a problem."""
    same = Window.partitionBy("question_id").orderBy("file", "byte_offset")
    repeats = F.col("question_id").isNotNull() & (F.row_number().over(same) > 1)
    reason = F.concat(F.lit("the question was read before: "), "question_id")
    return parsed.withColumn("problem", F.coalesce("problem", F.when(repeats, reason)))


def _posts(questions: DataFrame) -> DataFrame:
    own = questions.select(
        "site", F.col("question_id").alias("post_id"), F.col("text").alias("subject"),
        F.lit(None).cast("string").alias("body"), "split", "source_file",
    )  # fmt: skip
    # A pair that was retrieved for several questions is one post: its first copy, by file and position.
    copies = questions.select("site", "split", "source_file", "file", "byte_offset", F.explode("pairs").alias("pair"))
    copy = F.struct("file", "byte_offset", "pair.question", "pair.answer", "split", "source_file")
    first = copies.groupBy("site", F.col("pair.pair_id").alias("post_id")).agg(F.min(copy).alias("copy"))
    pairs = first.select(
        "site", "post_id", F.col("copy.question").alias("subject"), F.col("copy.answer").alias("body"), "copy.split",
        "copy.source_file",
    )  # fmt: skip
    return own.unionByName(pairs).withColumns({"post_type": F.lit("question"), "thread_id": F.col("post_id")})


def _judgments(questions: DataFrame, task: str) -> DataFrame:
    retrieved = questions.select("site", "question_id", "split", "source_file", F.explode("pairs").alias("pair"))
    return retrieved.select(
        "site", F.lit(task).alias("task"), F.col("question_id").alias("query_id"),
        F.col("pair.pair_id").alias("candidate_id"), F.col("pair.pair_id").alias("thread_id"), "pair.label",
        F.col("pair.position").alias("initial_rank"), "split", "source_file",
    )  # fmt: skip


class QuestionAnswer(NamedTuple):
    """A question-answer pair retrieved for a question.

    Attributes:
        pair_id: id of the pair; the same pair may be retrieved for several questions.
        position: position in the file, from 1, which is the retrieval rank.
        label: D, R or I; None if unknown.
        question: text of the pair's question.
        answer: text of its answer.
    """

    pair_id: str
    position: int
    label: str | None
    question: str
    answer: str


class QuestionRecord(NamedTuple):
    r"""One question of a file.

    Attributes:
        byte_offset: start in the uncompressed file.
        raw: its XML; bytes that are not UTF-8 as ``\xNN``.
        problem: reason for quarantine, one sentence; None if it is valid.
        question_id: id of the question.
        text: text of the question.
        pairs: the pairs, in order.
    """

    byte_offset: int
    raw: str
    problem: str | None
    question_id: str | None = None
    text: str | None = None
    pairs: tuple[QuestionAnswer, ...] = ()


class UnreadableQuestion(Exception):
    """A record that is not a question; the message goes to the quarantine."""


def read_questions(text: bytes) -> Iterator[QuestionRecord]:
    """Parse every question of a file, in order; a file without questions is a record with a problem.

    Args:
        text: the uncompressed file.
    """
    starts = [opening.start() for opening in OPENING.finditer(text)]
    if not starts:
        yield QuestionRecord(0, text.decode("utf-8", "backslashreplace"), "the file has no Question element")
    for start, following in pairwise([*starts, len(text)]):
        end = text.find(CLOSING, start, following)
        record = text[start : following if end < 0 else end + len(CLOSING)]
        raw = record.decode("utf-8", "backslashreplace")
        try:
            yield _question(QuestionRecord(start, raw, None), record)
        except UnreadableQuestion as unreadable:
            yield QuestionRecord(start, raw, str(unreadable))


def _question(record: QuestionRecord, xml: bytes) -> QuestionRecord:
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=False,
        remove_comments=True, remove_pis=True, encoding="utf-8",
    )  # fmt: skip
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableQuestion(f"the question is not well-formed XML: {error.msg}") from error
    pairs = tuple(_pair(element, position) for position, element in enumerate(root.iterfind("QApair"), start=1))
    repeated = [pair_id for pair_id, count in Counter(pair.pair_id for pair in pairs).items() if count > 1]
    if repeated:
        raise UnreadableQuestion(f"several pairs of the question have the id {', '.join(repeated)}")
    return record._replace(question_id=_id(root, "QID"), text=_text(root, "Qtext"), pairs=pairs)


def _pair(element: etree._Element, position: int) -> QuestionAnswer:
    label = (element.get("QArel") or "").strip()
    if label not in (*LABELS, *UNKNOWN):
        raise UnreadableQuestion(f"QArel is {label!r}; known labels: {', '.join(LABELS)}")
    return QuestionAnswer(
        _id(element, "QAID"),
        position,
        label if label in LABELS else None,
        _text(element, "QAquestion"),
        _text(element, "QAanswer"),
    )


def _id(element: etree._Element, attribute: str) -> str:
    value = (element.get(attribute) or "").strip()
    # White space separates the columns of the official files.
    if value.split() != [value]:
        raise UnreadableQuestion(f"{attribute} of {element.tag} is {value!r}; an id must be one word")
    return value


def _text(element: etree._Element, name: str) -> str:
    child = element.find(name)
    if child is None:
        raise UnreadableQuestion(f"the {element.tag} element has no {name} element")
    return "".join(str(text) for text in child.itertext()).strip()
