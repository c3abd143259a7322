"""BasicQ: views and dates of the question."""

import numpy as np
import pyarrow.compute as pc

from cqa_spark.features.arrays import Reals, doubles, seconds, values_at
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION
from cqa_spark.features.query_batch import QueryBatch

_XU = "Xu et al. 2018, Table 2, BasicQ"


class BasicQSnapshotV1(PostGroup):
    """The question as the dump shows it."""

    name = "basic_q_snapshot_v1"
    family = "question"
    about = "views and dates of the question, at the time of the dump"
    entity = Entity.QUESTION
    columns = (
        FeatureColumn("views", "page views at the time of the dump", _XU),
        FeatureColumn("created", "time of the question, seconds since 1970", _XU, is_time=True),
        FeatureColumn("active", "time of the last activity, seconds since 1970", _XU, is_time=True),
    )
    post_columns = ("view_count", "active_at")
    caution = SNAPSHOT_CAUTION

    def compute(self, batch: QueryBatch) -> Values:
        """Read the question's row."""
        return {
            "views": values_at(batch.query_post, doubles(batch.posts["view_count"])),
            "created": values_at(batch.query_post, seconds(batch.posts["created_at"])),
            "active": values_at(batch.query_post, seconds(batch.posts["active_at"])),
        }


class BasicQAsOfV1(PostGroup):
    """The question at the cut.

    Its last activity ignores edits: a dump has only the last edit, which may be after the cut.
    """

    name = "basic_q_asof_v1"
    family = "question"
    about = "dates of the question, as known at the cut"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("created", "time of the question, seconds since 1970", _XU, is_time=True),
        FeatureColumn(
            "active", "time of the question or of the last answer before the cut, seconds since 1970", _XU, is_time=True
        ),
    )
    post_columns = ("post_type",)
    is_as_of = True

    def compute(self, batch: QueryBatch) -> Values:
        """The time of the question, and of the last answer before the cut."""
        cut, asked = batch.times("cut"), batch.times("asked_at")
        is_known = ~np.isnan(cut)
        return {
            "created": np.where(is_known, asked, np.nan),
            "active": np.where(is_known, np.fmax(asked, _last_answer(batch, cut)), np.nan),
        }


def _last_answer(batch: QueryBatch, cut: Reals) -> Reals:
    """The time of the last answer in each example's thread up to its cut; NaN for none."""
    answers = batch.posts.filter(pc.equal(batch.posts["post_type"], "answer"))
    example, answer = batch.joined("thread_id", answers, "thread_id")
    time = seconds(answers["created_at"])[answer]
    known = time <= cut[example]
    last = np.full(len(batch), np.nan)
    np.fmax.at(last, example[known], time[known])
    return last
