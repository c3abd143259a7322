"""Ensembles that average the scores of several rankers: probabilities, or similarities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pyspark.sql import DataFrame
from scipy.special import expit, logit

from cqa_spark.errors import ConfigError
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.out_of_fold import with_share_threshold
from cqa_spark.rankers.ranker import Ranker, RankerParameters, load_model
from cqa_spark.rankers.registry import RankerSpec, build_ranker
from cqa_spark.spark.frames import run_concurrently

# Members of composite rankers: builds, saves, loads and scores them.

MEMBER = "member"
"""Folder of the only member."""

_CLOSEST_TO_CERTAIN = 1e-9


class MemberParameters(RankerParameters):
    """Base class of the parameters of rankers around a single other one."""

    member: RankerSpec = Field(description="the ranker, with name and parameters")

    def needs_features(self) -> tuple[str, ...]:
        """The features that the member's parameters name."""
        return build_member(self.member).parameters.needs_features()

    def reads_texts(self) -> bool:
        """Whether the member does."""
        return build_member(self.member).parameters.reads_texts()

    def require_environment(self) -> None:
        """Check what training the member needs."""
        build_member(self.member).parameters.require_environment()


class MembersParameters(RankerParameters):
    """Base class of the parameters of rankers with several members."""

    members: tuple[RankerSpec, ...]

    def needs_features(self) -> tuple[str, ...]:
        """The features that the members' parameters name."""
        needed = [name for member in self.members for name in build_member(member).parameters.needs_features()]
        return tuple(dict.fromkeys(needed))

    def reads_texts(self) -> bool:
        """Whether a member does."""
        return any(build_member(member).parameters.reads_texts() for member in self.members)

    def require_environment(self) -> None:
        """Check what training the members needs."""
        for member in self.members:
            build_member(member).parameters.require_environment()


def build_member(member: RankerSpec) -> Ranker[Any]:
    """The unfitted ranker of a member."""
    return build_ranker(member.name, member.parameters)


def fit_members(members: Iterable[RankerSpec], frame: DataFrame) -> tuple[RankerModel, ...]:
    """Fit the scores of each member on the same examples, side by side; each trains on one core."""
    return tuple(run_concurrently(lambda member: build_member(member).fit_scores(frame), members))


@dataclass(frozen=True, eq=False)
class MemberModel(RankerModel):
    """Base class of models around a single other one."""

    member: RankerModel

    @property
    def compares_candidates(self) -> bool:
        """Whether the member does."""
        return self.member.compares_candidates

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> MemberModel:
        """Read the member."""
        return cls(description, load_model(folder.within(MEMBER)))

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the member, in a folder."""
        self.member.save(folder.within(MEMBER))


@dataclass(frozen=True, eq=False)
class MembersModel(RankerModel):
    """Base class of models with several members."""

    members: tuple[RankerModel, ...]

    @property
    def compares_candidates(self) -> bool:
        """Whether a member does."""
        return any(member.compares_candidates for member in self.members)

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> MembersModel:
        """Read the members, one folder each."""
        numbers = range(len(description.parameters["members"]))
        return cls(description, tuple(load_model(folder.within(str(number))) for number in numbers))

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the members, one folder each."""
        for number, member in enumerate(self.members):
            member.save(folder.within(str(number)))


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """The log-odds of probabilities, which are clipped near 0 and 1."""
    found: NDArray[np.float64] = logit(np.clip(probabilities, _CLOSEST_TO_CERTAIN, 1 - _CLOSEST_TO_CERTAIN))
    return found


def unbounded(member: RankerSpec, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """A member's scores on an unbounded scale: log-odds of probabilities, other scores unchanged."""
    return log_odds(scores) if build_member(member).gives_probabilities else scores


def member_scores(candidates: Candidates, members: Sequence[RankerModel]) -> NDArray[np.float64]:
    """The scores of each member: one row per candidate, one column per member."""
    return np.stack([member.score(candidates) for member in members], axis=1)


Given = TypeVar("Given", bound=MembersParameters)


def _requiring(ranker: str, scores: str, remedy: str, given: Given) -> Given:
    """The parameters of a ranker, if its members' scores are ``probabilities`` or ``similarities``."""
    for member in given.members:
        if not getattr(build_member(member), f"gives_{scores}"):
            problem = f"the ranker {ranker} has the member {member.name}, whose scores are not {scores}"
            raise ConfigError(problem, remedy)
    return given


class AverageParameters(MembersParameters):
    """Parameters of the ensemble."""

    members: tuple[RankerSpec, ...] = Field(
        min_length=2, description="rankers with probabilities as scores, each with name and parameters"
    )
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")

    @model_validator(mode="after")
    def _members_give_probabilities(self) -> AverageParameters:
        remedy = "use logistic_regression, boosted_trees with objective classification, or wrap it in calibrated"
        return _requiring("average", "probabilities", remedy, self)


@dataclass(frozen=True, eq=False)
class PooledModel(MembersModel):
    """A model whose score is the mean of its members' scores, on a scale that subclasses choose."""

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The mean of the members' shares, with a direction if all members that have one agree."""
        found = defaultdict(list)
        for member in self.members:
            for importance in member.feature_importances():
                found[importance.feature].append(importance)
        return tuple(_mean(found[feature]) for feature in self.description.features)


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
        remedy = "use ridge_regression, or boosted_trees with objective regression"
        return _requiring("mean_similarity", "similarities", remedy, self)


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
        members = fit_members(self.parameters.members, frame)
        training = members[0].description.training
        return MeanSimilarityModel(self.describe(feature_columns(frame), training=training), members)


def _mean(importances: list[FeatureImportance]) -> FeatureImportance:
    directions = {found.direction for found in importances} - {0}
    return FeatureImportance(
        importances[0].feature,
        sum(found.importance for found in importances) / len(importances),
        directions.pop() if len(directions) == 1 else 0,
    )
