"""Task E: find earlier questions of a site that a question duplicates."""

from __future__ import annotations

from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.examples.night import Night
from cqa_spark.examples.task import Task
from cqa_spark.runtime.step import Step
from cqa_spark.tasks.duplicate.dataset import DUPLICATE_LABEL, OTHER_LABEL


class Duplicate(Task):
    """Candidates are earlier questions found by retrieval; duplicates are relevant (Nakov et al. 2017, section 3.2).

    Dumps have no train and test splits, so ``pair`` creates no examples of this task. The step ``candidates`` retrieves
    candidates and splits the questions by time.
    """

    name = "duplicate"
    letter = "E"
    about = "find the earlier questions of the site that a question duplicates, or none"
    grades = MappingProxyType({DUPLICATE_LABEL: 1, OTHER_LABEL: 0})
    relevant_from = 1
    formats = ("stackexchange", "question_list")
    baseline = "bm25_order"
    # TMAP judges the cut rankings; RR@50 and R@50 judge the order, over the questions that have a duplicate.
    measures = ("TMAP", "RR@50", "R@50", "R@10", "OracleTMAP", "UncutTMAP")
    candidates_stay = True

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """The earlier questions' authors and times."""
        return posts.select("site", F.col("post_id").alias("candidate_id"), "user_id", "created_at")

    def fold_key(self) -> Column:
        """The oldest question of the query's cluster, because all labels of a cluster derive from the same links."""
        return F.coalesce("cluster", "query_id")

    def night(self, night: Night) -> tuple[Step, ...]:
        """New questions; all others keep their candidates."""
        from cqa_spark.tasks.duplicate.candidates import RetrieveCandidates, question_texts  # lists import every task

        retrieval = night.settings.retrieval
        texts = question_texts(night.groups, retrieval.embeddings, night.last_texts)
        return *texts, RetrieveCandidates(self, retrieval, trains=night.learns, last=night.last)
