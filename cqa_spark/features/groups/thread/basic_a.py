"""BasicA: views and dates of the answer."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, Reach, feature_values
from cqa_spark.features.history.pairs import dated_pairs
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.inputs import FeatureInputs

_XU = "Xu et al. 2018, Table 2, BasicA"

_SNAPSHOT = {
    FeatureColumn(
        "views", "page views at the time of the dump; not known in dumps since 2009: only questions have views", _XU
    ): "view_count",
    FeatureColumn("created", "time of the answer, seconds since 1970", _XU, is_time=True): "created_at",
    FeatureColumn("active", "time of the last activity, seconds since 1970", _XU, is_time=True): "active_at",
}
"""Each column with the Spark SQL expression over an answer's row of ``posts`` that computes it."""

_AS_OF = {
    FeatureColumn("created", "time of the answer, seconds since 1970", _XU, is_time=True): "answered_at",
    FeatureColumn(
        "active", "time of the answer, seconds since 1970: which edit was the last is known later", _XU, is_time=True
    ): "answered_at",
}
"""Each column with the Spark SQL expression over a pair that computes it."""


class BasicASnapshotV1(FeatureGroup):
    """The answer as the dump shows it."""

    name: ClassVar[str] = "basic_a_snapshot_v1"
    family: ClassVar[str] = "answer"
    about: ClassVar[str] = "views and dates of the answer, at the time of the dump"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_SNAPSHOT)
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each answer."""
        posts = inputs.posts.withColumnRenamed("post_id", "candidate_id")
        answers = self.entities(inputs.examples).join(posts, on=list(self.entity.key))
        values = feature_values(_SNAPSHOT)
        return answers.select(*self.entity.key, *values)


class BasicAAsOfV1(FeatureGroup):
    """The answer as it stood at the cut; its own time is given with it, also where it came after the cut."""

    name: ClassVar[str] = "basic_a_asof_v1"
    family: ClassVar[str] = "answer"
    about: ClassVar[str] = "dates of the answer, as known at the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_AS_OF)
    reach: ClassVar[Reach] = Reach.THREAD
    reads_texts: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair."""
        values = feature_values(_AS_OF)
        return dated_pairs(inputs).select(*self.entity.key, *values)
