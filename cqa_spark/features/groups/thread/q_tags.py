"""QTags: how the question is spread over the site's first tags."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, Reach, feature_values
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.history.top_tags import TAG_SLOTS, AsOfTagGroup, SnapshotTagGroup, with_slots
from cqa_spark.features.inputs import FeatureInputs

_XU = "Xu et al. 2018, Table 2, QTags, and footnote 5"

_FEATURES = {
    FeatureColumn(
        f"tag_{slot:02}", f"share of the site's tag number {slot} among the question's tags that have a number", _XU
    ): f"if(array_contains(slots, {slot}), 1 / size(slots), 0)"
    for slot in range(1, TAG_SLOTS + 1)
}
"""Each column with the Spark SQL expression over the question's slots that computes it."""


class QTagsSnapshotV1(SnapshotTagGroup):
    """Tags as they stand in the dump; numbered by their questions' scores."""

    name: ClassVar[str] = "q_tags_snapshot_v1"
    family: ClassVar[str] = "tags"
    about: ClassVar[str] = "the question's spread over the site's tags with the highest scores at the time of the dump"
    entity: ClassVar[Entity] = Entity.QUESTION
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.THREAD
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each question; all 0 where it has none of the tags."""
        return _spread(self.entities(inputs.examples), inputs, self.learned)


class QTagsAsOfV1(AsOfTagGroup):
    """Tags numbered by the votes known at the last cut of the training part.

    The question's tags are those of the dump: its posts do not tell when a tag was changed.
    """

    name: ClassVar[str] = "q_tags_asof_v1"
    family: ClassVar[str] = "tags"
    about: ClassVar[str] = "the question's spread over the tags that had the most votes when training ended"
    entity: ClassVar[Entity] = Entity.QUESTION
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    reach: ClassVar[Reach] = Reach.THREAD

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each question; all 0 where it has none of the tags."""
        return _spread(self.entities(inputs.examples), inputs, self.learned)


def _spread(questions: DataFrame, inputs: FeatureInputs, learned: DataFrame) -> DataFrame:
    tags = inputs.posts.select("site", F.col("post_id").alias("query_id"), "tags")
    slotted = with_slots(questions.join(tags, on=["query_id", "site"]), learned)
    values = feature_values(_FEATURES)
    return slotted.select("site", "query_id", *values)
