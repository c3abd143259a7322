"""Trains a model in the tasks of one Spark stage.

A training iteration takes milliseconds on a few thousand rows; a Spark job takes much longer. All iterations therefore
run in one stage, in which each task keeps its rows and the tasks exchange sums. Several tasks form a barrier stage; a
single one is an ordinary task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.feature_contract import as_array
from cqa_spark.rankers.model import NO_EXAMPLES, TrainingCounts
from cqa_spark.rankers.scoring import VALUES
from cqa_spark.rankers.training.group import TrainingGroup, group_of_tasks
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.requirements import features_to_learn_from, require_both_classes, require_numbers
from cqa_spark.rankers.training.rows import (
    BUCKET,
    CANDIDATE,
    QUERY_HASH,
    RELEVANT,
    TARGET,
    TaskRows,
    read_rows,
)

Learn = Callable[[TaskRows, TrainingGroup], str | None]
"""Runs in every task; its result in task 0 is the fitted state."""

_OUTCOME = pa.schema([("learned", pa.string()), ("counted", pa.string())])


class Trained(NamedTuple):
    """The result of training.

    Attributes:
        learned: the result of ``Learn`` in task 0.
        features: feature columns, in order.
        counts: size of the training data.
    """

    learned: str
    features: tuple[str, ...]
    counts: TrainingCounts


def train_in_tasks(
    frame: DataFrame,
    learn: Callable[[tuple[str, ...]], Learn],
    parameters: TrainingParameters,
    *,
    target: str,
    order: Literal["buckets", "queries"],
    dtype: type[np.floating[Any]] = np.float32,
) -> Trained:
    """Train on the labelled examples of a DataFrame.

    Rows are in a fixed order, with the candidates of a query in one task, so that the model does not depend on the
    partitioning.

    Args:
        frame: training examples with features.
        learn: maps the names of the features to the function that each task runs.
        parameters: workers, buckets and sample size.
        target: column to learn; rows where it or ``relevant`` is null are excluded.
        order: sort order in a task: by bucket, then query, or by query only; then by candidate.
        dtype: type of the values in tasks. 32-bit floats need half the memory, and boosted trees use no others.

    Raises:
        InputError: there are no labelled examples, or only one class.
        ContractError: there are no features, or a value is not a number.
        ConfigError: trees with more workers than there are queries to distribute.
    """
    features = features_to_learn_from(frame)
    workers, whole_buckets = parameters.workers, order == "buckets"
    kind = np.dtype(dtype)
    most = parameters.max_training_rows
    used = frame if most is None else sample_queries(frame, most, rows=frame.count())
    values = as_array(features, "float" if kind.itemsize == 4 else "double")
    rows = _placed(used, values, target, parameters)
    keys = (*([BUCKET] if whole_buckets else []), *CANDIDATE)
    run = _Task(learn(features), keys, len(features), kind, workers, may_be_idle=whole_buckets)
    outcomes = rows.mapInArrow(run, "learned string, counted string", barrier=workers > 1).collect()
    if not outcomes:  # Spark runs no task for an empty DataFrame
        require_both_classes(NO_EXAMPLES)
    counted = json.loads(outcomes[0]["counted"])
    require_numbers([name for name, bad in zip(features, counted["bad"], strict=True) if bad])
    counts = TrainingCounts.model_validate(counted["counts"])
    require_both_classes(counts)
    if counted["busy"] < workers and not whole_buckets:
        raise ConfigError(
            f"{counts.queries} training queries keep {counted['busy']} of {workers} training workers busy, and an idle "
            "one stops XGBoost",
            f"set the ranker's workers to {counted['busy']} or fewer",
        )
    return Trained(outcomes[0]["learned"], features, counts)


@dataclass(frozen=True)
class _Task:
    """Reads the rows of a task, counts the rows of all tasks, and trains if they pass the checks."""

    learn: Learn
    keys: tuple[str, ...]
    features: int
    dtype: np.dtype[np.floating[Any]]
    workers: int
    may_be_idle: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with group_of_tasks(self.workers) as group, closing(self._read(batches)) as rows:
            counted = _count_together(rows, group)
            counts, busy = counted["counts"], self.may_be_idle or counted["busy"] == self.workers
            fits = busy and not any(counted["bad"]) and 0 < counts["relevant"] < counts["rows"]
            learned = self.learn(rows, group) if fits else None
        if group.number == 0:
            columns = {"learned": [learned], "counted": [json.dumps(counted)]}
            yield pa.RecordBatch.from_pydict(columns, schema=_OUTCOME)

    def _read(self, batches: Iterable[pa.RecordBatch]) -> TaskRows:
        return read_rows(batches, self.keys, self.features, self.dtype)


def _count_together(rows: TaskRows, group: TrainingGroup) -> dict[str, Any]:
    """Counts over all tasks: fields of ``TrainingCounts``, features that are not numbers, and tasks with rows."""
    own = [len(rows.query_starts), len(rows), int(rows.relevant.sum()), rows.unlabelled]
    message = json.dumps({"own": own, "bad": rows.bad.tolist()}).encode()
    all_tasks = [json.loads(each) for each in group.gather(message)]
    sums = np.sum([each["own"] for each in all_tasks], axis=0).tolist()
    return {
        "counts": dict(zip(TrainingCounts.model_fields, sums, strict=True)),
        "bad": np.any([each["bad"] for each in all_tasks], axis=0).tolist(),
        "busy": sum(each["own"][1] > 0 for each in all_tasks),
    }


def _placed(frame: DataFrame, values: Column, target: str, parameters: TrainingParameters) -> DataFrame:
    """The rows of each worker in its partition, in any order.

    The tasks sort them, because Spark would spill and merge entire rows.
    """
    query = F.xxhash64(*QUERY)
    bucket = F.pmod(query, F.lit(parameters.buckets)).cast("int")
    rows = frame.select(
        *CANDIDATE, F.col(target).cast("double").alias(TARGET), F.col("relevant").alias(RELEVANT),
        query.alias(QUERY_HASH), bucket.alias(BUCKET), values.alias(VALUES),
    )  # fmt: skip
    workers = parameters.workers
    worker = F.floor(F.col(BUCKET) * workers / parameters.buckets).cast("int")
    keys = [_partition_key(frame.sparkSession, worker, workers)] if workers > 1 else []
    return rows.repartition(workers, *keys)


def _partition_key(spark: SparkSession, worker: Column, workers: int) -> Column:
    """A column that Spark's hash partitioning maps to the partition of the row's worker."""
    # A constant, which Spark computes without a job, with enough numbers to hit every partition.
    tried = F.sequence(F.lit(0), F.lit(100 * workers))
    places = F.transform(tried, lambda number: F.pmod(F.hash(number), F.lit(workers)))
    found = spark.sql("SELECT 1").select(places.alias("places")).first()
    assert found is not None
    keys = F.array(*[F.lit(found["places"].index(place)) for place in range(workers)])
    return keys[worker]
