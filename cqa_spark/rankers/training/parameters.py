"""Parameters of rankers with distributed training."""

import logging
import math
from typing import Annotated, Literal

from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.rankers.ranker import RankerParameters
from cqa_spark.rankers.training.group import require_executors_for
from cqa_spark.spark.internals import estimated_bytes

VALUES_OF_A_WORKER = 100_000_000
"""Values, rows times features, for which a worker is added: 800 MB of 64-bit floats."""

_COUNTED_FROM = 8 << 20
"""Estimated bytes from which rows are counted; to count a small corpus for each model takes longer than to train it.
Spark estimates the bytes of compressed columns, a tenth of those of the values or more."""

_log = logging.getLogger(__name__)


class TrainingParameters(RankerParameters):
    """Base class of the parameters of rankers with distributed training."""

    workers: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        default="auto",
        description="number of Spark tasks that train together, each with one core; auto: one for every "
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
        """
        if self.workers != "auto":
            return self.workers
        if estimated_bytes(frame) < _COUNTED_FROM:
            return 1
        rows = frame.count()
        workers = max(1, math.ceil(rows * features / VALUES_OF_A_WORKER))
        if workers > 1:
            _log.warning("training with %d workers: %s examples with %d features", workers, f"{rows:,}", features)
        return workers
