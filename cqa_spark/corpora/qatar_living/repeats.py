"""Detects repeated ids across all partitions."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import InputFile
from cqa_spark.errors import InputError
from cqa_spark.lake.schemas.community import UNANNOTATED

ORIGINAL, THREAD = 0, 1
SHOWN_THREADS = 20


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
    claims = threads.select(F.col("thread.thread_id").alias("post_id"), _claim(THREAD).alias("claimant")).unionByName(
        originals.select(F.col("thread.original.original_id").alias("post_id"), _claim(ORIGINAL).alias("claimant"))
    )
    claimed = claims.groupBy("post_id").agg(
        F.min("claimant").alias("first"),
        F.count("*").alias("claims"),
        F.array_sort(F.collect_set(F.when(F.col("claimant.claim") == THREAD, F.col("claimant.file")))).alias("files"),
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
    is_first = F.col("first").isNull() | (F.col("first") == _claim(THREAD))
    owner = F.when(F.col("first.claim") == ORIGINAL, "an original question").otherwise("a thread")
    path = F.array(*[F.lit(file.path) for file in inputs])[F.col("first.file")]
    reason = F.concat(F.lit("the id "), "post_id", F.lit(" already belongs to "), owner, F.lit(" of "), path)
    return compared.select(
        "file",
        "byte_offset",
        "found",
        "raw",
        F.when(is_first, F.col("problem")).otherwise(reason).alias("problem"),
        F.when(is_first, F.col("thread")).alias("thread"),
    )


def _claim(kind: int) -> Column:
    return F.struct(F.lit(kind).alias("claim"), "file", "byte_offset")
