"""Trains a model in the tasks of one Spark stage.

A training iteration takes milliseconds on a few thousand rows; a Spark job takes much longer. All iterations therefore
run in one stage, in which each task keeps its rows and the tasks exchange sums. Several tasks form a barrier stage; a
single one is an ordinary task.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.rankers.feature_contract import as_array
from cqa_spark.rankers.model import NO_EXAMPLES, TrainingCounts
from cqa_spark.rankers.scoring import VALUES
from cqa_spark.rankers.training.group import TrainingGroup, group_of_tasks
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.requirements import features_to_learn_from, require_both_classes, require_numbers
from cqa_spark.rankers.training.rows import QUERY_HASH, RELEVANT, TARGET, TaskRows, read_rows

Learn = Callable[[TaskRows, TrainingGroup], str | None]
"""Runs in every worker; its result in worker 0 is the fitted state."""

_OUTCOME = pa.schema([("learned", pa.string()), ("counted", pa.string())])


class Trained(NamedTuple):
    """The result of training.

    Attributes:
        learned: the result of ``Learn`` in worker 0.
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
    sent: Literal["float", "double"] = "float",
    dtype: type[np.floating[Any]] = np.float64,
) -> Trained:
    """Train on the labelled examples of a DataFrame.

    Rows are in a fixed order, with the candidates of a query in one task, so that the model of a number of workers does
    not depend on the partitioning.

    Args:
        frame: training examples with features.
        learn: maps the names of the features to the function that each task runs.
        parameters: workers and sample size.
        target: column to learn; rows where it or ``relevant`` is null are excluded.
        sent: type of the values that Spark shuffles.
        dtype: type of the values in tasks.

    Raises:
        InputError: there are no labelled examples, or only one class.
        ContractError: there are no features, or a value is not a number.
        ConfigError: there are more workers than queries to distribute.
    """
    features = features_to_learn_from(frame)
    most = parameters.max_training_rows
    used = frame if most is None else sample_queries(frame, most, rows=frame.count())
    workers = parameters.workers_for(used, len(features))
    rows = used.select(
        *EXAMPLES.key,
        F.col(target).cast("double").alias(TARGET),
        F.col("relevant").alias(RELEVANT),
        F.xxhash64(*QUERY).alias(QUERY_HASH),
        as_array(features, sent).alias(VALUES),
    )
    placed = rows.repartition(workers, *([QUERY_HASH] if workers > 1 else [])).sortWithinPartitions(*EXAMPLES.key)
    run = _Task(learn(features), len(features), dtype, workers)
    schema = "learned string, counted string"
    outcomes = placed.drop(*EXAMPLES.key).mapInArrow(run, schema, barrier=workers > 1).collect()
    if not outcomes:  # Spark runs no task for an empty DataFrame
        require_both_classes(NO_EXAMPLES)
    counted = json.loads(outcomes[0]["counted"])
    require_numbers([name for name, bad in zip(features, counted["bad"], strict=True) if bad])
    counts = TrainingCounts.model_validate(counted["counts"])
    require_both_classes(counts)
    if counted["busy"] < workers:
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
    features: int
    dtype: type[np.floating[Any]]
    workers: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = read_rows(batches, self.features, self.dtype)
        with group_of_tasks(self.workers) as group:
            counted = _count_together(rows, group)
            counts = counted["counts"]
            fits = (
                counted["busy"] == self.workers and not any(counted["bad"]) and 0 < counts["relevant"] < counts["rows"]
            )
            learned = self.learn(rows, group) if fits else None
        if group.number == 0:
            columns = {"learned": [learned], "counted": [json.dumps(counted)]}
            yield pa.RecordBatch.from_pydict(columns, schema=_OUTCOME)


def _count_together(rows: TaskRows, group: TrainingGroup) -> dict[str, Any]:
    """Counts over all tasks: fields of ``TrainingCounts``, features that are not numbers, and tasks with rows."""
    own = [len(rows.query_starts), len(rows), rows.relevant.sum(), rows.unlabelled, len(rows) > 0, *rows.bad]
    queries, examples, relevant, unlabelled, busy, *bad = group.total(np.array(own, dtype=np.float64)).tolist()
    counts = {"queries": queries, "rows": examples, "relevant": relevant, "unlabelled": unlabelled}
    return {"counts": counts | {"workers": group.workers}, "busy": int(busy), "bad": bad}
