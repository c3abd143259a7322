"""When the answer came: after the question, after the answer before it, and how long it has been there."""

import numpy as np

from cqa_spark.features.arrays import scattered
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.inputs import DumpState
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.within_query import WithinQuery

_HOUR, _DAY = 3_600.0, 86_400.0


class AnswerTimingAsOfV1(PostGroup):
    """Durations and places in the order of time; no dates, which would tell a model when a label was given.

    Answers posted after the cut have no values and no place.
    """

    name = "answer_timing_asof_v1"
    family = "answer_time"
    about = "delays of the answer, and its place in time among those that were there at the cut"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("age", "midnights since the answer, logarithm", "ours"),
        FeatureColumn("delay", "hours from the question to the answer, logarithm", "ours"),
        FeatureColumn("gap", "hours since the answer before it, or since the question, logarithm", "ours"),
        FeatureColumn("first", "1 for the first answer", "ours"),
        FeatureColumn("last", "1 for the last answer", "ours"),
        FeatureColumn("by_asker", "1 if the asker wrote the answer", "ours"),
    )
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    def compute(self, batch: QueryBatch) -> Values:
        """Order the answers of each question by time; answers of the same moment share the gap of the first of them."""
        cut, asked, answered = (batch.times(name) for name in ("cut", "asked_at", "answered_at"))
        # Indices of the examples whose answer was there at the cut, in order of query and time.
        present = np.flatnonzero(answered <= cut)
        in_time = present[np.lexsort((answered[present], batch.query[present]))]
        within_query, times = WithinQuery(batch.query[in_time]), answered[in_time]
        # The time of the answer before each, and of the question before the first of them.
        before = np.append(np.nan, times[:-1])[: len(times)]
        before[within_query.starts] = asked[in_time][within_query.starts]
        midnight = np.floor(times / _DAY) * _DAY
        authors, askers = (np.array(batch.column(name), dtype=object)[in_time] for name in ("account", "asker_id"))
        values = {
            "age": np.log1p((cut[in_time] - midnight) // _DAY),
            "delay": np.log1p(np.maximum(0, times - asked[in_time]) / _HOUR),
            "gap": np.log1p(np.maximum(0, times - before) / _HOUR),
            "first": -times == within_query.highest(-times),
            "last": times == within_query.highest(times),
            "by_asker": (authors == askers) & np.array([asker is not None for asker in askers], dtype=np.bool_),
        }
        return {name: scattered(column, in_time, len(batch)) for name, column in values.items()}
