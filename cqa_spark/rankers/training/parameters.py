"""Parameters of rankers that train in tasks."""

from __future__ import annotations

from pydantic import Field, model_validator

from cqa_spark.rankers.ranker import RankerParameters


class TrainingParameters(RankerParameters):
    """Base of the parameters of a ranker whose training is distributed."""

    workers: int = Field(default=1, ge=1, description="Spark tasks that train together, each with a core")
    buckets: int = Field(
        default=64,
        ge=1,
        description="parts that rows are divided into, by a hash of the query; a worker holds some",
    )
    max_training_rows: int | None = Field(
        default=None,
        ge=1,
        description="learn from a sample of whole queries, with about so many examples",
    )

    @model_validator(mode="after")
    def _give_each_worker_a_bucket(self) -> TrainingParameters:
        if self.workers > self.buckets:
            raise ValueError(f"{self.workers} workers cannot share {self.buckets} buckets")
        return self
