"""An ensemble that averages several regressions of similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pyspark.sql import DataFrame

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.average import PooledModel
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.members import MembersParameters, build_member, member_scores
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.spec import RankerSpec
from cqa_spark.rankers.threshold import with_share_threshold


class MeanSimilarityParameters(MembersParameters):
    """Parameters of the ensemble."""

    members: tuple[RankerSpec, ...] = Field(
        min_length=2, description="rankers with similarities as scores, each with name and parameters"
    )

    @model_validator(mode="after")
    def _members_give_similarities(self) -> MeanSimilarityParameters:
        for member in self.members:
            if not build_member(member).gives_similarities:
                raise ConfigError(
                    f"the ranker mean_similarity has the member {member.name}, whose scores are not similarities",
                    "use ridge_regression, or boosted_trees with objective regression",
                )
        return self


class MeanSimilarityModel(PooledModel):
    """The score is the mean of the members' similarities."""

    @property
    def explains(self) -> bool:
        """Whether all members do."""
        return all(member.explains for member in self.members)

    def contributions(self, candidates: Candidates) -> NDArray[np.float64]:
        """The mean of the members' contributions, which share a scale."""
        found: NDArray[np.float64] = np.mean([member.contributions(candidates) for member in self.members], axis=0)
        return found

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The mean of the members' scores."""
        found: NDArray[np.float64] = member_scores(candidates, self.members).mean(axis=1)
        return found


class MeanSimilarityRanker(Ranker[MeanSimilarityParameters]):
    """Fits every member on the same examples."""

    name = "mean_similarity"
    about = "ranks candidates by the mean of several regressions of similarity"
    parameters_type = MeanSimilarityParameters
    model_type = MeanSimilarityModel
    gives_similarities = True

    def fit(self, frame: DataFrame) -> MeanSimilarityModel:
        """Learn ``similarity`` from the features, once per member; choose the threshold on out-of-fold scores."""
        return with_share_threshold(self.fit_scores(frame), self, frame)

    def fit_scores(self, frame: DataFrame) -> MeanSimilarityModel:
        """Learn ``similarity`` from the features, once per member."""
        members = tuple(build_member(member).fit_scores(frame) for member in self.parameters.members)
        training = members[0].description.training
        return MeanSimilarityModel(self.describe(feature_columns(frame), training=training), members)
