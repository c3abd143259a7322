"""The data sets SMALL, LARGE and FULL of Xu et al. (2018, section 3 and Table 1), from any site.

Threads are chosen and split by hashes of their site and id. So the same threads are chosen on any machine, in any order
of input; SMALL is a part of LARGE; and a thread is in the same split in all of them, so that nothing is trained on in
one that is measured on in another.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.corpora.stackexchange.judgments import ACCEPTED_ANSWER, OTHER_ANSWER
from cqa_spark.tasks.judged_answers import KEPT
from cqa_spark.tasks.preferred_answer import PreferredAnswer

SIZES = {"small": 10_000, "large": 70_000}
FULL = "full"

CHOOSING, SPLITTING = 2018, 50_25_25
"""Seeds: which threads are chosen says nothing of where they are put."""


def examples_of(candidates: DataFrame, *, name: str, split: str) -> DataFrame:
    """Choose the threads of a data set and split them.

    Args:
        candidates: as ``judged_answers.candidates`` gives them.
        name: small or large, as many threads as there are up to that number; full, every answered thread but those
            that LARGE is measured on, all for training, labelled or not.
        split: hash, half of the threads for training, a quarter each as dev and test, nearly; temporal, by the time of
            the question, site by site.

    Returns:
        A frame of the schema ``EXAMPLES``.
    """
    if name == FULL:
        measured_on = _split(_chosen(candidates, SIZES["large"]), split).where(F.col("split") != "train")
        threads = candidates.select("site", "query_id").distinct().withColumn("split", F.lit("train"))
        threads = threads.join(measured_on, on=["site", "query_id"], how="left_anti")
    else:
        threads = _split(_chosen(candidates, SIZES[name]), split)
    return _examples(candidates.join(threads.select("site", "query_id", "split"), on=["site", "query_id"]))


def every_question(candidates: DataFrame, *, min_answers: int) -> DataFrame:
    """All questions with enough candidates: those that say which answer was preferred in the three parts, by hash.

    A question's part follows from its site and id alone. So one that is answered or accepted later never goes from the
    part that a system was trained on to one that it is measured on.

    Args:
        candidates: as ``judged_answers.candidates`` gives them.
        min_answers: candidates that a question needs.

    Returns:
        A frame of the schema ``EXAMPLES``; questions of which the preferred answer is not known are ``unannotated``.
    """
    enough = F.count(F.lit(1)).over(Window.partitionBy("site", "query_id")) >= min_answers
    wanted = candidates.withColumn("enough", enough).where("enough")
    is_judged = F.col("outcome") == KEPT
    rows = _split_by_hash(wanted).withColumns(
        {
            "accepted": F.when(is_judged, F.col("accepted")),
            "split": F.when(is_judged, F.col("split")).otherwise(UNANNOTATED),
        }
    )
    return _examples(rows)


def _examples(rows: DataFrame) -> DataFrame:
    """Candidates with their ``split`` as examples."""
    label = F.when(F.col("accepted"), ACCEPTED_ANSWER).when(~F.col("accepted"), OTHER_ANSWER)
    return PreferredAnswer().examples(rows.withColumns({"thread_id": F.col("query_id"), "label": label}))


def _chosen(candidates: DataFrame, size: int) -> DataFrame:
    threads = candidates.where(F.col("outcome") == KEPT).select("site", "query_id", "asked_at").distinct()
    return threads.orderBy(_hash(CHOOSING), "site", "query_id").limit(size)


def _split(threads: DataFrame, split: str) -> DataFrame:
    return _split_by_hash(threads) if split == "hash" else _split_by_time(threads)


def _split_by_hash(threads: DataFrame) -> DataFrame:
    quarter = F.pmod(_hash(SPLITTING), F.lit(4))
    return threads.withColumn("split", _named(quarter < 2, quarter < 3))


def _split_by_time(threads: DataFrame) -> DataFrame:
    """Threads asked at the same time are never parted: the places are those of the times, not of the threads."""
    in_time = Window.partitionBy("site").orderBy(F.col("asked_at").asc_nulls_first())
    before = F.rank().over(in_time) - 1
    all_ = F.count(F.lit(1)).over(Window.partitionBy("site"))
    return threads.withColumn("split", _named(4 * before < 2 * all_, 4 * before < 3 * all_))


def _named(is_training: Column, is_dev: Column) -> Column:
    return F.when(is_training, "train").when(is_dev, "dev").otherwise("test")


def _hash(seed: int) -> Column:
    return F.xxhash64(F.lit(seed), F.col("site"), F.col("query_id"))
