"""Runs a training function on the partitions of a DataFrame, with Spark's TorchDistributor."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from cqa_spark.spark.internals import Trained, train_on_dataframe

_GPUS = "spark.task.resource.gpu.amount"


def train_on_partitions(function: Callable[..., Trained], rows: DataFrame, partitions: int, *arguments: Any) -> Trained:
    """Run a function in one process per partition, concurrently, and return the result of the first process.

    The processes read their partition by ``own_rows``, so the driver receives no rows. They have GPUs if Spark assigns
    GPUs to tasks.

    Args:
        function: a module-level function, which the processes import.
        rows: the rows; no partition may be empty.
        partitions: number of partitions of the rows.
        arguments: arguments of the function; sent to each process.
    """
    from pyspark.ml.torch.distributor import TorchDistributor

    uses_gpus = bool(rows.sparkSession.conf.get(_GPUS, ""))
    distributor = TorchDistributor(partitions, local_mode=False, use_gpu=uses_gpus)
    distributor.logger.setLevel(logging.WARNING)  # it logs every start at level INFO
    return train_on_dataframe(distributor, function, rows, *arguments)


def own_rows() -> pa.Table:
    """The rows of this process's partition, from the file in which Spark's task stored them."""
    from pyspark.ml.torch.distributor import SPARK_PARTITION_ARROW_DATA_FILE

    with pa.ipc.open_stream(os.environ[SPARK_PARTITION_ARROW_DATA_FILE]) as stream:
        return stream.read_all()
