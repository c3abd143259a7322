"""BasicA: views and dates of the answer."""

import numpy as np

from cqa_spark.features.arrays import doubles, seconds, values_at
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION
from cqa_spark.features.query_batch import QueryBatch

_XU = "Xu et al. 2018, Table 2, BasicA"


class BasicASnapshotV1(PostGroup):
    """The answer as the dump shows it."""

    name = "basic_a_snapshot_v1"
    family = "answer"
    about = "views and dates of the answer, at the time of the dump"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn(
            "views", "page views at the time of the dump; unknown in dumps since 2009: only questions have views", _XU
        ),
        FeatureColumn("created", "time of the answer, seconds since 1970", _XU, is_time=True),
        FeatureColumn("active", "time of the last activity, seconds since 1970", _XU, is_time=True),
    )
    post_columns = ("view_count", "active_at")
    caution = SNAPSHOT_CAUTION

    def compute(self, batch: QueryBatch) -> Values:
        """Read the answer's row."""
        return {
            "views": values_at(batch.candidate_post, doubles(batch.posts["view_count"])),
            "created": values_at(batch.candidate_post, seconds(batch.posts["created_at"])),
            "active": values_at(batch.candidate_post, seconds(batch.posts["active_at"])),
        }


class BasicAAsOfV1(PostGroup):
    """The answer at the cut; its own time is used even if it is after the cut."""

    name = "basic_a_asof_v1"
    family = "answer"
    about = "dates of the answer, as known at the cut"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("created", "time of the answer, seconds since 1970", _XU, is_time=True),
        FeatureColumn(
            "active",
            "time of the answer, seconds since 1970, because the last edit may be after the cut",
            _XU,
            is_time=True,
        ),
    )
    is_as_of = True

    def compute(self, batch: QueryBatch) -> Values:
        """The time of the answer."""
        answered = np.where(np.isnan(batch.times("cut")), np.nan, batch.times("answered_at"))
        return {"created": answered, "active": answered}
