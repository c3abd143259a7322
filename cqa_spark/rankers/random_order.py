"""A baseline that orders candidates at random, reproducibly."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.model import BaselineModel, RankerModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters


class RandomOrderParameters(RankerParameters):
    """The seed."""

    seed: int = Field(1, description="another seed gives another order")


class RandomOrderModel(BaselineModel):
    """The score is a number from 0 to 1 that follows from the seed and the candidate's key alone.

    Neither the other rows nor the partitioning matter. Every candidate is predicted relevant.
    """

    def _score(self, frame: DataFrame) -> DataFrame:
        seed = F.lit(int(self.description.parameters["seed"]))
        hashed = F.xxhash64(seed, "site", "task", "query_id", "candidate_id")
        # A double holds 53 bits exactly; the upper 53 of the 64 become a fraction.
        return frame.withColumn("score", F.shiftrightunsigned(hashed, 11) / F.lit(float(2**53)))


class RandomOrderRanker(Ranker[RandomOrderParameters]):
    """Learns nothing."""

    name = "random_order"
    about = "orders candidates by a seeded hash of their keys"
    parameters_type: ClassVar[type[RankerParameters]] = RandomOrderParameters
    model_type: ClassVar[type[RankerModel]] = RandomOrderModel

    def fit(self, frame: DataFrame) -> RandomOrderModel:
        """Neither features nor labels are looked at."""
        return RandomOrderModel(self.describe(feature_columns(frame)))
