"""Reads files of CQA-MD into community tables."""

from collections.abc import Iterator
from typing import Any, ClassVar

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.accounting import file_counts, quarantined
from cqa_spark.corpora.annotated_files import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.content_check import check_content
from cqa_spark.corpora.cqa_md.questions import NAMES, OPENING, QuestionRecord, read_questions
from cqa_spark.corpora.whole_files import DamagedFile, decompressed, of_file, parse_files, read_whole_files
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.spark.persistence import persist

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
        T.StructField("found", T.LongType()),
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
        content = read_whole_files(spark, [file.path for file in inputs])
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
    yield {"found": len(OPENING.findall(text))}
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
    asked = questions.select(
        "site", F.col("question_id").alias("post_id"), F.col("text").alias("subject"),
        F.lit(None).cast("string").alias("body"), "split", "source_file",
    )  # fmt: skip
    copies = questions.select("site", "split", "source_file", "file", "byte_offset", F.explode("pairs").alias("pair"))
    copy = F.struct("file", "byte_offset", "pair.question", "pair.answer", "split", "source_file")
    first = copies.groupBy("site", F.col("pair.pair_id").alias("post_id")).agg(F.min(copy).alias("copy"))
    pairs = first.select(
        "site", "post_id", F.col("copy.question").alias("subject"), F.col("copy.answer").alias("body"), "copy.split",
        "copy.source_file",
    )  # fmt: skip
    return asked.unionByName(pairs).withColumns({"post_type": F.lit("question"), "thread_id": F.col("post_id")})


def _judgments(questions: DataFrame, task: str) -> DataFrame:
    retrieved = questions.select("site", "question_id", "split", "source_file", F.explode("pairs").alias("pair"))
    return retrieved.select(
        "site", F.lit(task).alias("task"), F.col("question_id").alias("query_id"),
        F.col("pair.pair_id").alias("candidate_id"), F.col("pair.pair_id").alias("thread_id"), "pair.label",
        F.col("pair.position").alias("initial_rank"), "split", "source_file",
    )  # fmt: skip
