"""BasicA: views and dates of the answer."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from cqa_spark.features.arrays import doubles, seconds, values_at
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.history.dump_state import SNAPSHOT_CAUTION
from cqa_spark.features.query_batch import QueryBatch

_XU = "Xu et al. 2018, Table 2, BasicA"


class BasicASnapshotV1(QueryGroup):
    """The answer as the dump shows it."""

    name: ClassVar[str] = "basic_a_snapshot_v1"
    family: ClassVar[str] = "answer"
    about: ClassVar[str] = "views and dates of the answer, at the time of the dump"
    entity: ClassVar[Entity] = Entity.CANDIDATE
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn(
            "views", "page views at the time of the dump; unknown in dumps since 2009: only questions have views", _XU
        ),
        FeatureColumn("created", "time of the answer, seconds since 1970", _XU, is_time=True),
        FeatureColumn("active", "time of the last activity, seconds since 1970", _XU, is_time=True),
    )
    reads_texts: ClassVar[bool] = False
    reads_comments: ClassVar[bool] = False
    post_columns: ClassVar[tuple[str, ...]] = ("view_count", "active_at")
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """Read the answer's row."""
        return {
            "views": values_at(batch.candidate_post, doubles(batch.posts["view_count"])),
            "created": values_at(batch.candidate_post, seconds(batch.posts["created_at"])),
            "active": values_at(batch.candidate_post, seconds(batch.posts["active_at"])),
        }


class BasicAAsOfV1(QueryGroup):
    """The answer at the cut; its own time is used even if it is after the cut."""

    name: ClassVar[str] = "basic_a_asof_v1"
    family: ClassVar[str] = "answer"
    about: ClassVar[str] = "dates of the answer, as known at the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn("created", "time of the answer, seconds since 1970", _XU, is_time=True),
        FeatureColumn(
            "active",
            "time of the answer, seconds since 1970, because the last edit may be after the cut",
            _XU,
            is_time=True,
        ),
    )
    reads_texts: ClassVar[bool] = False
    reads_comments: ClassVar[bool] = False
    is_as_of: ClassVar[bool] = True

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """The time of the answer."""
        answered = np.where(np.isnan(batch.times("cut")), np.nan, batch.times("answered_at"))
        return {"created": answered, "active": answered}
