"""The examples of nights, for all threads of a lake."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.corpora.stackexchange.values import end_of_day
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.schemas.examples import EXAMPLES, MEASURED, NIGHT_MARK, SERVED
from cqa_spark.spark.whole_groups import whole_groups
from cqa_spark.tasks.preferred_answer.judged_answers import PROPERTIES, judged_answers
from cqa_spark.tasks.preferred_answer.replayed_nights import choice_weights, replayed_nights, starts_of_nights

_THREAD = ("site", "query_id")
_ADDED = {
    "cut_at": T.TimestampType(),
    "role": T.StringType(),
    "age_days": T.IntegerType(),
    "choice": T.DoubleType(),
    "initial_rank": T.IntegerType(),
}


def night_examples(
    task: str, posts: DataFrame, votes: DataFrame, min_answers: int = 2, *, undecided: bool = True
) -> DataFrame:
    """All nights of all threads with enough answers.

    Labels are those of measured nights. A served night has none, whatever was accepted by then, so that no measure and
    no model reads it.

    Args:
        task: name of the task of accepted answers.
        posts: the table ``posts``.
        votes: the table ``votes``; if it is empty, no acceptance has a time, and all nights are undecided or served.
        min_answers: minimum number of answers of a night.
        undecided: whether to include undecided nights.

    Returns:
        A frame of the schema ``EXAMPLES``; ranks are by time, from 1, and replayed nights are all of the split
        train, because who learns from which is decided by sites.
    """
    newest = posts.select("site", "created_at").unionByName(votes.select("site", "created_at"))
    ends = newest.groupBy("site").agg(F.max(end_of_day("created_at")).alias("ends_at"))
    dated = judged_answers(posts, votes).drop(*PROPERTIES).join(F.broadcast(ends), on="site")
    in_time = ("answered_at", F.length("candidate_id"), "candidate_id")
    together = dated.sortWithinPartitions(*_THREAD, *in_time)
    schema = T.StructType([*together.schema, *[T.StructField(name, type_) for name, type_ in _ADDED.items()]])
    rows = together.mapInArrow(_replaying(schema, min_answers, undecided), schema)
    is_served, measured = F.col("role") == SERVED, F.col("role") == MEASURED
    night = F.concat_ws(NIGHT_MARK, "query_id", F.date_format("cut_at", "yyyy-MM-dd"))
    return EXAMPLES.conform(
        rows.select(
            "site", F.lit(task).alias("task"),
            F.when(is_served, F.col("query_id")).otherwise(night).alias("query_id"), "candidate_id",
            F.col("query_id").alias("thread_id"), F.col("query_id").alias("fold_key"), "author_id", "asker_id",
            "asked_at", "answered_at", "initial_rank", F.when(measured, F.col("accepted").cast("int")).alias("label"),
            F.when(measured, F.col("accepted")).alias("relevant"), F.lit(None).cast("double").alias("similarity"),
            F.when(is_served, UNANNOTATED).otherwise("train").alias("split"),
            "cut_at", "role", "age_days", "accepted", "choice",
        )
    )  # fmt: skip


def _replaying(
    schema: T.StructType, min_answers: int, undecided: bool
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def replay(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        arrow_schema = to_arrow_schema(schema)
        for answers in whole_groups(batches, *_THREAD):
            nights = replayed_nights(answers, min_answers, undecided=undecided)
            starts = starts_of_nights(nights)
            sizes = np.diff(starts, append=nights.num_rows)
            ranks = np.arange(nights.num_rows) - np.repeat(starts, sizes) + 1
            for name, values in (("choice", choice_weights(nights)), ("initial_rank", ranks)):
                nights = nights.append_column(name, pa.array(values))
            yield from nights.cast(arrow_schema).to_batches()

    return replay
