"""Trains a model in the tasks of one Spark stage.

A training iteration takes milliseconds on a few thousand rows; a Spark job takes much longer. All iterations therefore
run in one stage, in which each task keeps its rows and the tasks exchange sums. Several tasks form a barrier stage; a
single one is an ordinary task.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError, ContractError, InputError
from cqa_spark.features.training_data import sample_queries
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.process.disks import scratch_folders
from cqa_spark.rankers.candidates import as_array, feature_columns
from cqa_spark.rankers.model import NO_EXAMPLES, TrainingCounts
from cqa_spark.rankers.ranker import RankerParameters
from cqa_spark.rankers.scoring import VALUES
from cqa_spark.rankers.training_group import TrainingGroup, cores_of_worker, group_of_tasks, require_executors_for
from cqa_spark.spark.internals import estimated_bytes

VALUES_OF_A_WORKER = 100_000_000
"""Values, rows times features, for which a worker is added: 800 MB of 64-bit floats."""

_COUNTED_FROM = 8 << 20
"""Estimated bytes from which rows are counted; to count a small corpus for each model takes longer than to train it.
Spark estimates the bytes of compressed columns, which is at least a tenth of the bytes of the values."""

TARGET, RELEVANT, QUERY_HASH = "target", "relevant", "query"
_LABELS = pa.schema([(TARGET, pa.float64()), (RELEVANT, pa.bool_()), (QUERY_HASH, pa.int64())])
_OUTCOME = pa.schema([("learned", pa.string()), ("totals", pa.string())])

_log = logging.getLogger(__name__)


class TrainingParameters(RankerParameters):
    """Base class of the parameters of rankers with distributed training."""

    workers: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        default="auto",
        description="number of Spark tasks that train together; auto: one for every "
        "100 million values (examples times features), whatever the cluster",
    )
    max_training_rows: int | None = Field(
        default=None, ge=1, description="train on a sample of whole queries with about this many examples"
    )

    def require_environment(self) -> None:
        """Check that executors stay for several workers."""
        if self.workers != "auto":
            require_executors_for(self.workers)

    def workers_for(self, frame: DataFrame, features: int) -> int:
        """The number of workers for these examples; never depends on the cluster, as the model depends on it.

        Args:
            frame: training examples with features.
            features: number of features.

        Raises:
            ConfigError: the examples need several workers, and executors are allocated dynamically.
        """
        if self.workers != "auto":
            return self.workers
        if estimated_bytes(frame) < _COUNTED_FROM:
            return 1
        rows = frame.count()
        workers = max(1, math.ceil(rows * features / VALUES_OF_A_WORKER))
        require_executors_for(workers)
        if workers > 1:
            _log.warning("training with %d workers: %s examples with %d features", workers, f"{rows:,}", features)
        return workers


Learn: TypeAlias = "Callable[[TaskRows, TrainingGroup], str | None]"
"""Runs in every worker; its result in worker 0 is the fitted state."""


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
        ConfigError: there are more workers than queries to distribute, or executors are allocated dynamically.
    """
    features = features_to_learn_from(frame)
    most = parameters.max_training_rows
    sample = frame if most is None else sample_queries(frame, most, rows=frame.count())
    workers = parameters.workers_for(sample, len(features))
    rows = sample.select(
        *EXAMPLES.key,
        F.col(target).cast("double").alias(TARGET),
        F.col("relevant").alias(RELEVANT),
        F.xxhash64(*QUERY).alias(QUERY_HASH),
        as_array(features, sent).alias(VALUES),
    )
    # The candidates of a query go to one worker; a single worker gets all rows, whatever their query.
    by_worker = rows.repartition(workers, QUERY_HASH) if workers > 1 else rows.repartition(1)
    in_order = by_worker.sortWithinPartitions(*EXAMPLES.key).drop(*EXAMPLES.key)
    task = _Task(learn(features), len(features), dtype, workers, cores_of_worker(frame.sparkSession, workers))
    outcomes = in_order.mapInArrow(task, "learned string, totals string", barrier=workers > 1).collect()
    if not outcomes:  # Spark runs no task for an empty DataFrame
        require_both_classes(NO_EXAMPLES)
    totals = json.loads(outcomes[0]["totals"])
    require_numbers([name for name, bad in zip(features, totals["bad"], strict=True) if bad])
    counts = TrainingCounts.model_validate(totals["counts"])
    require_both_classes(counts)
    if totals["busy"] < workers:
        raise ConfigError(
            f"{counts.queries} training queries keep {totals['busy']} of {workers} training workers busy, and an idle "
            "worker stops XGBoost",
            f"set the ranker's workers to {totals['busy']} or fewer",
        )
    return Trained(outcomes[0]["learned"], features, counts)


@dataclass(frozen=True)
class _Task:
    """Reads the rows of a task, adds up the counts of all tasks, and trains if they pass the checks.

    Worker 0 returns one row: the fitted state, null if the checks fail, and the totals, from which the driver reports
    what is wrong.
    """

    learn: Learn
    features: int
    dtype: type[np.floating[Any]]
    workers: int
    cores: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = read_rows(batches, self.features, self.dtype)
        with group_of_tasks(self.workers, self.cores) as group:
            # One message: the counts of this task, and for each feature 1 if it is not a number in some row.
            own = [len(rows.query_starts), len(rows), rows.relevant.sum(), rows.unlabelled, len(rows) > 0, *rows.bad]
            totals = group.total(np.array(own, dtype=np.float64)).tolist()
            queries, examples, relevant, unlabelled, busy_workers, *bad = totals
            is_sound = busy_workers == self.workers and not any(bad) and 0 < relevant < examples
            learned = self.learn(rows, group) if is_sound else None
        if group.number == 0:
            counts = {"queries": queries, "rows": examples, "relevant": relevant, "unlabelled": unlabelled}
            counts["workers"] = group.workers
            totals_text = json.dumps({"counts": counts, "busy": int(busy_workers), "bad": bad})
            yield pa.RecordBatch.from_pydict({"learned": [learned], "totals": [totals_text]}, schema=_OUTCOME)


@dataclass(frozen=True)
class TaskRows:
    """The labelled examples of a worker; the examples of a query are adjacent.

    Attributes:
        values: features; shape (rows, features). A file in Spark's scratch folder, mapped into memory: the page cache
            keeps what fits, and does not count towards an executor's memory limit.
        targets: values to learn; shape (rows,).
        relevant: whether each example is relevant; shape (rows,).
        queries: hash of the query of each example; shape (rows,).
        unlabelled: number of excluded examples without label.
        bad: whether a feature is null, NaN or infinite in any row; shape (features,).
    """

    values: NDArray[np.floating[Any]]
    targets: NDArray[np.float64]
    relevant: NDArray[np.bool_]
    queries: NDArray[np.int64]
    unlabelled: int
    bad: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def query_starts(self) -> NDArray[np.int64]:
        """The index of the first row of each query; none without rows."""
        # The prepended hash differs from the first, so that row 0 starts a query.
        return np.flatnonzero(np.diff(self.queries, prepend=~self.queries[:1]))

    def leading(self, features: int) -> TaskRows:
        """The rows with the first features only."""
        return replace(self, values=self.values[:, :features], bad=self.bad[:features])


def read_rows(batches: Iterable[pa.RecordBatch], features: int, dtype: type[np.floating[Any]]) -> TaskRows:
    """Read the rows of a worker.

    Args:
        batches: rows, sorted by query, with the columns ``TARGET`` and ``RELEVANT``, both null without a label,
            ``QUERY_HASH``, and ``VALUES``, an array of the features.
        features: number of features.
        dtype: type of the values.
    """
    labels, bad, unlabelled = [_LABELS.empty_table()], np.zeros(features, dtype=bool), 0
    with TemporaryFile(dir=scratch_folders(None)[0]) as file:
        for batch in batches:
            labelled = batch.filter(pc.and_(pc.is_valid(batch[TARGET]), pc.is_valid(batch[RELEVANT])))
            unlabelled += batch.num_rows - labelled.num_rows
            flat = pc.list_flatten(labelled[VALUES]).to_numpy(zero_copy_only=False)  # row by row; null becomes NaN
            block = flat.reshape(labelled.num_rows, features).astype(dtype, copy=False)
            bad |= ~np.isfinite(block).all(axis=0)
            file.write(np.ascontiguousarray(block).data)
            labels.append(pa.Table.from_batches([labelled.select(_LABELS.names)]).cast(_LABELS))
        table = pa.concat_tables(labels)
        file.flush()  # a full disk is an error here; a mapped file would end the process
        shape = (len(table), features)
        # The mapping outlives the file, which has no name. A file without bytes cannot be mapped.
        values = np.memmap(file, dtype, "r", shape=shape) if len(table) else np.empty(shape, dtype)
    return TaskRows(
        values=values,
        targets=table[TARGET].to_numpy(),
        relevant=table[RELEVANT].to_numpy(),
        queries=table[QUERY_HASH].to_numpy(),
        unlabelled=unlabelled,
        bad=bad,
    )


def features_to_learn_from(frame: DataFrame) -> tuple[str, ...]:
    """The feature columns of a frame.

    Raises:
        ContractError: there are no features.
    """
    features = feature_columns(frame)
    if not features:
        raise ContractError("no features to train on", "name feature groups in the system's file")
    return features


def require_numbers(bad: Sequence[str]) -> None:
    """Refuse training examples with values that are not numbers.

    Args:
        bad: features with null, NaN or infinite values.

    Raises:
        ContractError: there are such features.
    """
    if bad:
        raise ContractError(
            f"features that are null, NaN or infinite in the training examples: {', '.join(bad)}",
            "declare a value for missing data in the feature group",
        )


def require_both_classes(counts: TrainingCounts) -> None:
    """Refuse training examples that lack a class.

    Raises:
        InputError: there are no examples, none has a label, none is relevant, or all are.
    """
    if counts.rows == counts.unlabelled == 0:
        problem = "there are no training examples"
    elif counts.rows == 0:
        problem = f"none of the {counts.unlabelled} training examples has a label"
    elif counts.relevant == 0:
        problem = f"none of the {counts.rows} labelled training examples is relevant"
    elif counts.relevant == counts.rows:
        problem = f"all {counts.rows} labelled training examples are relevant"
    else:
        return
    raise InputError(problem, "use training files with labels of both relevant and irrelevant candidates")
