"""BasicQ: views and dates of the question."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, Reach, feature_values
from cqa_spark.features.history.pairs import dated_pairs
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.history.totals import totals_at
from cqa_spark.features.inputs import FeatureInputs

_XU = "Xu et al. 2018, Table 2, BasicQ"

_SNAPSHOT = {
    FeatureColumn("views", "page views at the time of the dump", _XU): "view_count",
    FeatureColumn("created", "time of the question, seconds since 1970", _XU, is_time=True): "created_at",
    FeatureColumn("active", "time of the last activity, seconds since 1970", _XU, is_time=True): "active_at",
}
"""Each column with the Spark SQL expression over a question's row of ``posts`` that computes it."""

_AS_OF = {
    FeatureColumn("created", "time of the question, seconds since 1970", _XU, is_time=True): "asked_at",
    FeatureColumn(
        "active", "time of the question or of the last answer before the cut, seconds since 1970", _XU, is_time=True
    ): "greatest(asked_at, last_at)",
}
"""Each column with the Spark SQL expression over a pair, with the last answer before its cut, that computes it."""


class BasicQSnapshotV1(FeatureGroup):
    """The question as the dump shows it."""

    name: ClassVar[str] = "basic_q_snapshot_v1"
    family: ClassVar[str] = "question"
    about: ClassVar[str] = "views and dates of the question, at the time of the dump"
    entity: ClassVar[Entity] = Entity.QUESTION
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_SNAPSHOT)
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each question."""
        posts = inputs.posts.withColumnRenamed("post_id", "query_id")
        questions = self.entities(inputs.examples).join(posts, on=list(self.entity.key))
        values = feature_values(_SNAPSHOT)
        return questions.select(*self.entity.key, *values)


class BasicQAsOfV1(FeatureGroup):
    """The question as it stood at the cut.

    Edits are no part of its activity here: a dump's posts only tell their last one, and that it is the last is
    known later.
    """

    name: ClassVar[str] = "basic_q_asof_v1"
    family: ClassVar[str] = "question"
    about: ClassVar[str] = "dates of the question, as known at the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_AS_OF)
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair."""
        pairs = dated_pairs(inputs)
        moments = pairs.select(
            "site", "thread_id", F.col("cut").alias("known_at"), "query_id", "candidate_id", "asked_at"
        )
        answers = inputs.posts.where(F.col("post_type") == "answer").select(
            "site", "thread_id", F.col("created_at").alias("known_at")
        )
        known = totals_at(moments, inputs.of_threads(answers), key=("thread_id", "site"), values={})
        values = feature_values(_AS_OF)
        return known.select(*self.entity.key, *values)
