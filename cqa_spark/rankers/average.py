"""An ensemble: several rankers that give probabilities, averaged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from pydantic import Field, model_validator
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.members import (
    MembersParameters,
    build_member,
    load_members,
    log_odds,
    save_members,
    with_member_scores,
)
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.spec import RankerSpec


class AverageParameters(MembersParameters):
    """Parameters of the ensemble."""

    members: tuple[RankerSpec, ...] = Field(
        min_length=2, description="rankers that give probabilities, each with name and parameters"
    )
    threshold: float = Field(0.5, ge=0, le=1, description="probability from which on a candidate is predicted relevant")

    @model_validator(mode="after")
    def _members_give_probabilities(self) -> AverageParameters:
        for member in self.members:
            if not build_member(member).gives_probabilities:
                raise ConfigError(
                    f"the ranker average has the member {member.name}, whose scores are not probabilities",
                    "take logistic_regression, boosted_trees with objective classification, or calibrated around it",
                )
        return self


@dataclass(frozen=True, eq=False)
class PooledModel(RankerModel):
    """A model whose score is the mean of its members' scores, on a scale that subclasses choose."""

    members: tuple[RankerModel, ...]

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The mean of the members' shares; the direction is that of the members which have one and agree."""
        found = defaultdict(list)
        for member in self.members:
            for importance in member.feature_importances():
                found[importance.feature].append(importance)
        return tuple(_mean(found[feature]) for feature in self.description.features)

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> PooledModel:
        """Read the members, one folder each."""
        return cls(description, load_members(description, folder))

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the members, one folder each."""
        save_members(self.members, folder)

    def _with_scores(self, frame: DataFrame) -> tuple[DataFrame, list[str]]:
        """The frame with the members' scores, and their names."""
        names = [f"score_{number}" for number in range(len(self.members))]
        return with_member_scores(frame, self.members, names), names


class AverageModel(PooledModel):
    """The score is the probability whose log-odds are the mean of the members' log-odds.

    This is the logarithmic opinion pool of Genest and Zidek (1986, Statistical Science 1(1)), section 3, with equal
    weights.
    """

    def _score(self, frame: DataFrame) -> DataFrame:
        scored, names = self._with_scores(frame)
        mean = reduce(Column.__add__, map(log_odds, names)) / len(names)
        return scored.withColumn("score", 1 / (1 + F.exp(-mean)))


class AverageRanker(Ranker[AverageParameters]):
    """Fits every member on the same examples."""

    name = "average"
    about = "orders candidates by the average of several rankers' probabilities"
    parameters_type: ClassVar[type[RankerParameters]] = AverageParameters
    model_type: ClassVar[type[RankerModel]] = AverageModel

    @property
    def gives_probabilities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> AverageModel:
        """Learn ``relevant`` from the features, once per member."""
        members = tuple(build_member(member).fit(frame) for member in self.parameters.members)
        training = members[0].description.training
        description = self.describe(feature_columns(frame), threshold=self.parameters.threshold, training=training)
        return AverageModel(description, members)


def _mean(importances: list[FeatureImportance]) -> FeatureImportance:
    directions = {found.direction for found in importances} - {0}
    return FeatureImportance(
        importances[0].feature,
        sum(found.importance for found in importances) / len(importances),
        directions.pop() if len(directions) == 1 else 0,
    )
