"""A baseline that sorts candidates by one column, and those with equal values by a second one."""

import sys
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.errors import ContractError
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters

INITIAL_RANK = "initial_rank"


class ColumnParameters(RankerParameters):
    """Column, sort order and predicted class."""

    column: str = Field(description="initial_rank, or a feature as GROUP__COLUMN")
    ascending: bool = Field(False, description="whether the smallest value ranks first")
    then: str | None = Field(
        None,
        description="a feature with values from 0 by which equal values of the column, which are whole numbers, are "
        "ordered, the largest first",
    )
    predict: Literal["all", "none"] = Field(
        "all", description="candidates that are predicted relevant: the baselines all-true and all-false"
    )

    def needs_features(self) -> tuple[str, ...]:
        """The columns that are features."""
        columns = (self.column, self.then)
        return tuple(column for column in columns if column is not None and column != INITIAL_RANK)


class ColumnModel(BaselineModel):
    """The score is the column's value, negated for ascending order, plus a fraction that grows with the second column.

    All candidates are predicted relevant, as in the baseline files of SemEval-2016 Task 3, or none.
    """

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The column's values, or their negatives."""
        parameters = ColumnParameters(**self.description.parameters)
        if parameters.column == INITIAL_RANK:
            values = candidates.examples.column(INITIAL_RANK).to_numpy().astype(np.float64)
        else:
            values = candidates.of([parameters.column])[:, 0]
        scores = -values if parameters.ascending else values
        if parameters.then is None:
            return scores
        # A fraction below 1, so that it orders only equal whole numbers.
        ties = candidates.of([parameters.then])[:, 0]
        return np.asarray(scores + ties / (1 + ties))


class ColumnRanker(Ranker[ColumnParameters]):
    """A baseline without training."""

    name = "column"
    about = "sorts candidates by one feature, or by the initial rank of the forum or search engine, then by a feature"
    parameters_type = ColumnParameters
    model_type = ColumnModel

    def fit(self, frame: DataFrame) -> ColumnModel:
        """Check that the column exists; labels are not used."""
        features = feature_columns(frame)
        missing = [name for name in self.parameters.needs_features() if name not in features]
        if missing:
            raise ContractError(
                f"the column ranker sorts by {missing[0]}, which is not among the features: {', '.join(features)}",
                "name a feature of one of the system's feature groups, or initial_rank",
            )
        beyond_all = sys.float_info.max if self.parameters.predict == "none" else None
        return ColumnModel(self.describe(features, threshold=beyond_all))
