"""A baseline that orders candidates at random, reproducibly."""

from __future__ import annotations

from hashlib import blake2b
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.rankers.candidates import Candidates
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

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """A seeded hash of each candidate's key, as a fraction."""
        seed = int(self.description.parameters["seed"])
        keys = zip(*(candidates.examples.column(name).to_pylist() for name in EXAMPLES.key), strict=True)
        return np.array([_fraction(f"{seed}/{'/'.join(key)}") for key in keys], dtype=np.float64)


def _fraction(key: str) -> float:
    hashed = int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big")
    return (hashed >> 11) / 2**53  # a double holds 53 bits exactly


class RandomOrderRanker(Ranker[RandomOrderParameters]):
    """Learns nothing."""

    name = "random_order"
    about = "orders candidates by a seeded hash of their keys"
    parameters_type: ClassVar[type[RankerParameters]] = RandomOrderParameters
    model_type: ClassVar[type[RankerModel]] = RandomOrderModel

    def fit(self, frame: DataFrame) -> RandomOrderModel:
        """Neither features nor labels are looked at."""
        return RandomOrderModel(self.describe(feature_columns(frame)))
