"""The data sets SMALL, LARGE and FULL of Xu et al. (2018, section 3 and Table 1), from any site.

Threads are sampled and split by hashes of their site and id. The sample therefore does not depend on the machine or the
order of input, and SMALL is a subset of LARGE. A thread is in the same split of all data sets, so no thread is a
training thread in one and a test thread in another.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.examples.task import Task
from cqa_spark.tasks.preferred_answer.judged_answers import KEPT

ACCEPTED_ANSWER = "Accepted"
OTHER_ANSWER = "NotAccepted"
"""The labels of the answers of a question whose asker accepted one."""

SIZES = {"small": 10_000, "large": 70_000}
FULL = "full"

CHOOSING, SPLITTING = 2018, 50_25_25
"""Seeds of sampling and splitting, which are independent."""


def examples_of(task: Task, candidates: DataFrame, *, name: str, split: str) -> DataFrame:
    """Sample the threads of a data set and split them.

    Args:
        task: the task of accepted answers.
        candidates: as ``judged_answers.candidates`` returns them.
        name: small or large, at most that many threads; full, every answered thread except the dev and test threads of
            LARGE, all for training, labelled or not.
        split: hash, about half of the threads for training and a quarter each for dev and test; temporal, by time of
            the question, per site.

    Returns:
        A frame of the schema ``EXAMPLES``.
    """
    if name == FULL:
        measured_on = _split(_chosen(candidates, SIZES["large"]), split).where(F.col("split") != "train")
        threads = candidates.select("site", "query_id").distinct().withColumn("split", F.lit("train"))
        threads = threads.join(measured_on, on=["site", "query_id"], how="left_anti")
    else:
        threads = _split(_chosen(candidates, SIZES[name]), split)
    rows = candidates.join(threads.select("site", "query_id", "split"), on=["site", "query_id"])
    label = F.when(F.col("accepted"), ACCEPTED_ANSWER).when(~F.col("accepted"), OTHER_ANSWER)
    return task.examples(rows.withColumns({"thread_id": F.col("query_id"), "label": label}))


def _chosen(candidates: DataFrame, size: int) -> DataFrame:
    threads = candidates.where(F.col("outcome") == KEPT).select("site", "query_id", "asked_at").distinct()
    return threads.orderBy(_hash(CHOOSING), "site", "query_id").limit(size)


def _split(threads: DataFrame, split: str) -> DataFrame:
    return _split_by_hash(threads) if split == "hash" else _split_by_time(threads)


def _split_by_hash(threads: DataFrame) -> DataFrame:
    quarter = F.pmod(_hash(SPLITTING), F.lit(4))
    return threads.withColumn("split", _named(quarter < 2, quarter < 3))


def _split_by_time(threads: DataFrame) -> DataFrame:
    """Split by distinct times, so that threads asked at the same time are in the same split."""
    in_time = Window.partitionBy("site").orderBy(F.col("asked_at").asc_nulls_first())
    before = F.rank().over(in_time) - 1
    all_ = F.count(F.lit(1)).over(Window.partitionBy("site"))
    return threads.withColumn("split", _named(4 * before < 2 * all_, 4 * before < 3 * all_))


def _named(is_training: Column, is_dev: Column) -> Column:
    return F.when(is_training, "train").when(is_dev, "dev").otherwise("test")


def _hash(seed: int) -> Column:
    return F.xxhash64(F.lit(seed), F.col("site"), F.col("query_id"))
