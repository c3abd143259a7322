"""Preferred answers: rank the answers of a question; the one that the asker accepted counts."""

from __future__ import annotations

from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.stackexchange.judgments import ACCEPTED_ANSWER, OTHER_ANSWER, PREFERRED_ANSWER
from cqa_spark.tasks.task import Task

MEASURES = ("P@1", "MRR@10", "MAP@10", "nDCG@10")
"""What the task is measured by; the first is the only one of Xu et al. (2018)."""


class PreferredAnswer(Task):
    """All answers of a thread, for its question; the accepted one counts (Xu et al. 2018, section 3).

    Dumps give no parts to train and to measure on, so ``pair`` finds nothing here: ``cqa dataset preferred-answer``
    chooses threads and splits them.
    """

    name = PREFERRED_ANSWER
    letter = "P"
    about = "rank the answers of a question so that the one that the asker accepted comes first"
    grades = MappingProxyType({ACCEPTED_ANSWER: 1, OTHER_ANSWER: 0})
    relevant_from = 1

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """The answers' authors and times."""
        return posts.select("site", F.col("post_id").alias("candidate_id"), "user_id", "created_at")

    def fold_key(self) -> Column:
        """The thread."""
        return F.col("thread_id")
