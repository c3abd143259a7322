"""Parameters of rankers with distributed training."""

from __future__ import annotations

from pydantic import Field, model_validator

from cqa_spark.rankers.ranker import RankerParameters


class TrainingParameters(RankerParameters):
    """Base class of the parameters of rankers with distributed training."""

    workers: int = Field(default=1, ge=1, description="number of Spark tasks that train together, each with one core")
    buckets: int = Field(
        default=64,
        ge=1,
        description="number of buckets of rows, by a hash of the query; each worker has several",
    )
    max_training_rows: int | None = Field(
        default=None,
        ge=1,
        description="train on a sample of whole queries with about this many examples",
    )

    @model_validator(mode="after")
    def _give_each_worker_a_bucket(self) -> TrainingParameters:
        if self.workers > self.buckets:
            raise ValueError(f"{self.workers} workers cannot share {self.buckets} buckets")
        return self
