"""Reads files of Qatar Living into community tables; of several threads with one id, the first stays."""

from collections.abc import Sequence
from functools import partial, reduce
from typing import ClassVar, NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import file_counts, quarantined
from cqa_spark.corpora.content_check import check_content
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.corpora.qatar_living.records import RECORD, THREAD, ProbedFile, parse_range, probe
from cqa_spark.corpora.qatar_living.threads import LAYOUTS, Layout
from cqa_spark.corpora.source import AnnotatedFiles, CommunityTables
from cqa_spark.corpora.whole_files import of_file, parse_files
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persist

SITE = "qatarliving.com"

BY_ORIGINAL, BY_THREAD = 0, 1
"""Claims to an id: that of an original question takes precedence."""

SHOWN_THREADS = 20
RANKS_PER_THREAD = 100
ORIGIN = ("site", "split", "source_file")

_QUESTION = ("same_as", "user_id", "created_at", "category", "tags", "score", "view_count", "subject", "body")


class JudgedTasks(NamedTuple):
    """The names of the tasks that the labels of the files judge.

    Attributes:
        questions: the related questions of an original question.
        comments: the comments of a question; None if they are not judged.
        related_comments: the comments of related questions, for an original question; None if they are not judged.
    """

    questions: str
    comments: str | None = None
    related_comments: str | None = None


class QatarLivingFiles(AnnotatedFiles):
    """Files of SemEval 2015-2017 Task 3, and dumps of the same forum.

    Attributes:
        tasks: names of the judged tasks.
        layouts: the possible layouts of the files.
    """

    default_site: ClassVar[str] = SITE
    tasks: ClassVar[JudgedTasks]
    layouts: ClassVar[Sequence[Layout]] = LAYOUTS

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files; of a thread in several files of a split, the copies after the first are quarantined.

        Raises:
            InputError: a file cannot be read or has no readable thread or no text, or a thread is in two annotated
                splits.
        """
        inputs = self.inputs
        files = [probe(file, self.layouts, self.storage) for file in inputs]
        parsed = persist(_parsed(spark, files, self.storage))
        records = parsed.where("byte_offset IS NOT NULL")
        has_answers = any(layout.answer for layout in self.layouts)
        answers = {"answer": F.col("thread.answers.body")} if has_answers else {}
        check_content(
            records,
            inputs,
            expected=[file.layout.about for file in files],
            texts={
                "question": F.array("thread.subject", "thread.body"),
                "comment": F.col("thread.comments.body"),
            }
            | answers,
            times=F.concat(
                F.array("thread.created_at"), F.transform("thread.comments", lambda comment: comment["created_at"])
            ),
        )
        contested = persist(contested_ids(records))
        refuse_shared_between_splits(contested, inputs)
        settled = refuse_repeats(parsed, contested, inputs)
        threads = _threads(settled, inputs, self.site)
        return CommunityTables(
            posts=POSTS.complete(posts_table(threads)),
            comments=COMMENTS.complete(comments_table(threads)),
            users=USERS.complete(users_table(threads)),
            judgments=JUDGMENTS.complete(judgments_table(threads, self.tasks)),
            quarantine=quarantined(settled, inputs, self.site),
            ingested_files=file_counts(settled, inputs, self.site),
        )


def _parsed(spark: SparkSession, files: Sequence[ProbedFile], storage: ObjectStorageSettings) -> DataFrame:
    """The records of files, and their numbers."""
    ranges = [(number, *part) for number, file in enumerate(files) for part in file.ranges()]
    tasks = spark.createDataFrame(ranges, "file int, start bigint, stop bigint").repartition(len(ranges))
    return parse_files(tasks, partial(parse_range, files, storage), RECORD)


def _threads(records: DataFrame, inputs: Sequence[InputFile], site: str) -> DataFrame:
    return records.where(F.col("thread").isNotNull()).select(
        F.lit(site).alias("site"),
        of_file([file.path for file in inputs]).alias("source_file"),
        of_file([file.split for file in inputs]).alias("split"),
        "file",
        "byte_offset",
        *[F.col(f"thread.{name}") for name in THREAD.names],
    )


def contested_ids(records: DataFrame) -> DataFrame:
    """Find the threads whose id is also the id of another thread or question.

    By design, an original question is repeated above each of its related questions; it is one post. It takes precedence
    over a thread with the same id, which may occur in the forum's dump.

    Args:
        records: as ``records.parse_range`` returns them.

    Returns:
        post_id, first (claim, file, byte_offset of the owner of the id), files (sorted; files with a thread of that
        id).
    """
    threads = records.where(F.col("thread").isNotNull())
    originals = threads.where(F.col("thread.original").isNotNull())
    claims = threads.select(
        F.col("thread.thread_id").alias("post_id"), _claim(BY_THREAD).alias("claimant")
    ).unionByName(
        originals.select(F.col("thread.original.original_id").alias("post_id"), _claim(BY_ORIGINAL).alias("claimant"))
    )
    claimed = claims.groupBy("post_id").agg(
        F.min("claimant").alias("first"),
        F.count("*").alias("claims"),
        F.array_sort(F.collect_set(F.when(F.col("claimant.claim") == BY_THREAD, F.col("claimant.file")))).alias(
            "files"
        ),
    )
    return claimed.where((F.col("claims") > 1) & (F.size("files") > 0)).select("post_id", "first", "files")


def refuse_shared_between_splits(contested: DataFrame, inputs: Sequence[InputFile]) -> None:
    """Refuse inputs with a thread in several annotated splits, such as training and evaluation data.

    Args:
        contested: as ``contested_ids`` returns them.
        inputs: the files, in the order given.

    Raises:
        InputError: a thread is in two annotated splits; the first such threads are listed.
    """
    if len({file.split for file in inputs} - {UNANNOTATED}) < 2:
        return
    splits = F.array(*[F.lit(file.split) for file in inputs])
    judged = F.filter(F.transform("files", lambda file: splits[file]), lambda split: split != UNANNOTATED)
    shared = contested.where(F.size(F.array_distinct(judged)) > 1)
    count = shared.count()
    if count:
        rows = shared.orderBy("post_id").limit(SHOWN_THREADS).collect()
        listed = [f"{row.post_id} in {' and '.join(inputs[file].path for file in row.files)}" for row in rows]
        more = [f"and {count - len(rows)} more"] if count > len(rows) else []
        raise InputError(
            f"{count} threads are in files of several splits:\n    " + "\n    ".join(listed + more),
            "keep each thread in one split: omit one of the files, or assign both to the same split",
        )


def refuse_repeats(records: DataFrame, contested: DataFrame, inputs: Sequence[InputFile]) -> DataFrame:
    """Keep the first thread of each id, in the order of the files, and mark the others with a problem.

    Args:
        records: as ``records.parse_range`` returns them, with their file, and the numbers of records of files.
        contested: as ``contested_ids`` returns them.
        inputs: the files, in the order given.
    """
    first = contested.select("post_id", "first")
    compared = records.join(first, on=F.col("thread.thread_id") == F.col("post_id"), how="left")
    is_first = F.col("first").isNull() | (F.col("first") == _claim(BY_THREAD))
    owner = F.when(F.col("first.claim") == BY_ORIGINAL, "an original question").otherwise("a thread")
    path = F.array(*[F.lit(file.path) for file in inputs])[F.col("first.file")]
    reason = F.concat(F.lit("the id "), "post_id", F.lit(" already belongs to "), owner, F.lit(" of "), path)
    return compared.select(
        "file",
        "byte_offset",
        "record_count",
        "raw",
        F.when(is_first, F.col("problem")).otherwise(reason).alias("problem"),
        F.when(is_first, F.col("thread")).alias("thread"),
    )


def _claim(kind: int) -> Column:
    return F.struct(F.lit(kind).alias("claim"), "file", "byte_offset")


def posts_table(threads: DataFrame) -> DataFrame:
    """Questions of threads with their answers, and each original question once, as a thread without author or replies.

    Args:
        threads: site, source_file, split, file, byte_offset and the fields of ``records.THREAD``.
    """
    accepted = F.filter("answers", lambda answer: answer["accepted"])
    related = threads.select(
        *ORIGIN, F.col("thread_id").alias("post_id"), "thread_id", F.lit("question").alias("post_type"),
        F.get(accepted, F.lit(0))["answer_id"].alias("accepted_answer_id"), *_QUESTION,
    )  # fmt: skip
    original = _original_questions(threads).withColumns({"thread_id": F.col("post_id"), "post_type": F.lit("question")})
    answers = threads.select(*ORIGIN, "thread_id", F.explode("answers").alias("answer")).select(
        *ORIGIN, F.col("answer.answer_id").alias("post_id"), "thread_id", F.lit("answer").alias("post_type"),
        *[f"answer.{name}" for name in ("user_id", "created_at", "score", "body")],
    )  # fmt: skip
    return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), [related, original, answers])


def comments_table(threads: DataFrame) -> DataFrame:
    """Comments on a question or an answer, in their order; the argument is that of ``posts_table``."""
    return _comments(threads).select(
        "site", "comment.comment_id", "post_id", "thread_id", "comment.position", "comment.user_id",
        "comment.created_at", "comment.score", "comment.body", "split", "source_file",
    )  # fmt: skip


def users_table(threads: DataFrame) -> DataFrame:
    """The authors of questions, answers and comments; the argument is that of ``posts_table``."""
    answers = threads.select("site", F.explode("answers").alias("answer"))
    authors = (
        threads.select("site", "user_id", "user_name"),
        answers.select("site", "answer.user_id", "answer.user_name"),
        _comments(threads).select("site", "comment.user_id", "comment.user_name"),
    )
    known = reduce(DataFrame.unionByName, authors).where(F.col("user_id").isNotNull())
    return known.groupBy("site", "user_id").agg(F.min("user_name").alias("name"))


def _comments(threads: DataFrame) -> DataFrame:
    """The comments with the post that they are on."""
    posts = F.concat(
        F.array(F.struct(F.col("thread_id").alias("post_id"), "comments")),
        F.transform("answers", lambda answer: F.struct(answer["answer_id"].alias("post_id"), answer["comments"])),
    )
    with_posts = threads.select(*ORIGIN, "thread_id", F.explode(posts).alias("post"))
    return with_posts.select(*ORIGIN, "thread_id", "post.post_id", F.explode("post.comments").alias("comment"))


def judgments_table(threads: DataFrame, tasks: JudgedTasks) -> DataFrame:
    """Judgments of all labels.

    Ranks of related comments are as in the official scorer's files: 100 times the related question's rank, plus the
    comment's position.

    Args:
        threads: as for ``posts_table``.
        tasks: names of the judged tasks.
    """
    related = threads.where(F.col("original").isNotNull())
    rank = F.col("ranking_order") * RANKS_PER_THREAD + F.col("comment.position")
    query, candidate = "original.original_id", "comment.comment_id"
    # Each task with its rows, and the columns of query, candidate, label and rank.
    judged: list[tuple[str | None, DataFrame, str, str, str, Column]] = [
        (tasks.comments, _with_comments(threads), "thread_id", candidate, "comment.to_related",
         F.col("comment.position")),
        (tasks.questions, related, query, "thread_id", "relevance", F.col("ranking_order")),
        (tasks.related_comments, _with_comments(related), query, candidate, "comment.to_original", rank),
    ]  # fmt: skip
    tables = []
    for task, rows, query_id, candidate_id, label, initial_rank in judged:
        if task is not None:
            judgments = rows.select(
                "site", F.lit(task).alias("task"), "thread_id", "split", "source_file",
                F.col(query_id).alias("query_id"), F.col(candidate_id).alias("candidate_id"),
                F.col(label).alias("label"), initial_rank.alias("initial_rank"),
            )  # fmt: skip
            tables.append(judgments)
    return reduce(DataFrame.unionByName, tables)


def _original_questions(threads: DataFrame) -> DataFrame:
    """The first copy with a text; if several threads share one element, only the first has one."""
    copies = threads.where(F.col("original").isNotNull())
    has_text = F.coalesce(F.col("original.subject"), F.col("original.body")).isNotNull()
    copy = F.struct((~has_text).alias("empty"), "file", "byte_offset", "split", "source_file",
                    "original.subject", "original.body")  # fmt: skip
    by_id = copies.groupBy("site", F.col("original.original_id").alias("post_id"))
    first = by_id.agg(F.min(copy).alias("copy"))
    return first.select("site", "post_id", "copy.split", "copy.source_file", "copy.subject", "copy.body")


def _with_comments(threads: DataFrame) -> DataFrame:
    return threads.withColumn("comment", F.explode("comments"))
