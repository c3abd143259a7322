"""Runs a training function on the partitions of a frame, by Spark's TorchDistributor."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from pyspark.sql import DataFrame

_GPUS = "spark.task.resource.gpu.amount"

Trained = TypeVar("Trained")


def train_on_partitions(function: Callable[..., Trained], rows: DataFrame, partitions: int, *arguments: Any) -> Trained:
    """Run a function in a process for each partition, all at the same time, and return what the first one returns.

    The processes read their partition from the Arrow file that ``SPARK_PARTITION_ARROW_DATA_FILE`` names, so the driver
    holds no rows. They have GPUs if Spark assigns GPUs to tasks.

    Args:
        function: of a module, so that the processes import it.
        rows: no partition is empty.
        partitions: number of partitions of the rows.
        arguments: of the function; they are sent to each process.
    """
    from pyspark.ml.torch.distributor import TorchDistributor

    uses_gpus = bool(rows.sparkSession.conf.get(_GPUS, ""))
    distributor = TorchDistributor(partitions, local_mode=False, use_gpu=uses_gpus)
    distributor.logger.setLevel(logging.WARNING)  # it reports every start at level INFO
    # Its public methods train without data of Spark; Spark's own estimators for PyTorch use this one, too.
    trained: Trained = distributor._train_on_dataframe(function, rows, *arguments)
    return trained
