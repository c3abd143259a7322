"""Ensembles that average the scores of their members: probabilities, or similarities."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pyspark.sql import DataFrame
from scipy.special import expit

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.members import (
    MembersModel,
    MembersParameters,
    build_member,
    fit_members,
    log_odds,
    member_scores,
)
from cqa_spark.rankers.model import FeatureImportance
from cqa_spark.rankers.out_of_fold import with_share_threshold
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.registry import RankerSpec


@dataclass(frozen=True, eq=False)
class PooledModel(MembersModel):
    """Base class of models whose score is the mean of the members' scores, on a scale that subclasses choose."""

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The mean of the members' shares, with a direction if all members that have one agree."""
        by_feature = defaultdict(list)
        for member in self.members:
            for importance in member.feature_importances():
                by_feature[importance.feature].append(importance)
        pooled = []
        for feature in self.description.features:
            importances = by_feature[feature]
            if not importances:  # baselines have none
                continue
            share = sum(importance.importance for importance in importances) / len(importances)
            directions = {importance.direction for importance in importances} - {0}
            pooled.append(FeatureImportance(feature, share, directions.pop() if len(directions) == 1 else 0))
        return tuple(pooled)


class AverageParameters(MembersParameters):
    """Parameters of the ensemble."""

    members: tuple[RankerSpec, ...] = Field(
        min_length=2, description="rankers with probabilities as scores, each with name and parameters"
    )
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")

    @model_validator(mode="after")
    def _members_give_probabilities(self) -> AverageParameters:
        for member in self.members:
            if not build_member(member).gives_probabilities:
                raise ConfigError(
                    f"the ranker average has the member {member.name}, whose scores are not probabilities",
                    "use logistic_regression, boosted_trees with objective classification, or wrap it in calibrated",
                )
        return self


class AverageModel(PooledModel):
    """The score is the probability whose log-odds are the mean of the members' log-odds.

    This is the logarithmic opinion pool of Genest and Zidek (1986, Statistical Science 1(1)), section 3, with equal
    weights.
    """

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The pooled probability."""
        return expit(log_odds(member_scores(candidates, self.members)).mean(axis=1))


class AverageRanker(Ranker[AverageParameters]):
    """Fits every member on the same examples."""

    name = "average"
    about = "ranks candidates by the average of several rankers' probabilities"
    parameters_type = AverageParameters
    model_type = AverageModel
    gives_probabilities = True

    def fit(self, frame: DataFrame) -> AverageModel:
        """Learn ``relevant`` from the features, once per member."""
        members = fit_members(self.parameters.members, frame)
        training = members[0].description.training
        description = self.describe(feature_columns(frame), threshold=self.parameters.threshold, training=training)
        return AverageModel(description, members)


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
        """Whether all members have additive contributions."""
        return all(member.explains for member in self.members)

    def contributions(self, candidates: Candidates) -> NDArray[np.float64]:
        """The mean of the members' contributions, which share a scale."""
        contributions = [member.contributions(candidates) for member in self.members]
        return np.asarray(np.mean(contributions, axis=0))

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The mean of the members' scores."""
        return np.asarray(member_scores(candidates, self.members).mean(axis=1))


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
        members = fit_members(self.parameters.members, frame)
        training = members[0].description.training
        return MeanSimilarityModel(self.describe(feature_columns(frame), training=training), members)
