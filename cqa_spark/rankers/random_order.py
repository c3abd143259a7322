"""A baseline that ranks candidates in reproducible random order."""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters


class RandomOrderParameters(RankerParameters):
    """The seed."""

    seed: int = Field(1, description="another seed gives another order")


class RandomOrderModel(BaselineModel):
    """The score is a number from 0 to 1 that depends only on the seed and the candidate's key.

    Every candidate is predicted relevant.
    """

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """A seeded hash of each candidate's key, as a fraction."""
        seed = int(self.description.parameters["seed"])
        keys = zip(*(candidates.examples.column(name).to_pylist() for name in EXAMPLES.key), strict=True)
        scores = np.empty(len(candidates))
        for row, key in enumerate(keys):
            digest = blake2b(f"{seed}/{'/'.join(key)}".encode(), digest_size=8).digest()
            scores[row] = (int.from_bytes(digest, "big") >> 11) / 2**53  # doubles represent 53 bits exactly
        return scores


class RandomOrderRanker(Ranker[RandomOrderParameters]):
    """A baseline without training."""

    name = "random_order"
    about = "ranks candidates by a seeded hash of their keys"
    parameters_type = RandomOrderParameters
    model_type = RandomOrderModel

    def fit(self, frame: DataFrame) -> RandomOrderModel:
        """Create the model; features and labels are not used."""
        return RandomOrderModel(self.describe(feature_columns(frame)))
