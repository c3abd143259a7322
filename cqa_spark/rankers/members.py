"""Composite rankers: rankers around other rankers, their members, which are built, fitted, saved and scored here.

A member is a ranker with its parameters; a recipe nests it in the parameters of the composite one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame
from scipy.special import logit

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import ModelDescription, RankerModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters, load_model
from cqa_spark.rankers.registry import RankerSpec, build_ranker
from cqa_spark.spark.frames import run_concurrently

MEMBER = "member"
"""Folder of the only member."""

_CLOSEST_TO_CERTAIN = 1e-9
"""Distance from 0 and 1 at which probabilities are clipped before their log-odds are taken."""


class MemberParameters(RankerParameters):
    """Base class of the parameters of rankers with a single member."""

    member: RankerSpec = Field(description="the ranker, with name and parameters")

    def needs_features(self) -> tuple[str, ...]:
        """The features that the member's parameters name."""
        return build_member(self.member).parameters.needs_features()

    def reads_texts(self) -> bool:
        """Whether the member reads texts."""
        return build_member(self.member).parameters.reads_texts()

    def require_environment(self) -> None:
        """Check what training the member needs."""
        build_member(self.member).parameters.require_environment()


class MembersParameters(RankerParameters):
    """Base class of the parameters of rankers with several members."""

    members: tuple[RankerSpec, ...]

    def needs_features(self) -> tuple[str, ...]:
        """The features that the members' parameters name."""
        needed: list[str] = []
        for member in self.members:
            needed.extend(build_member(member).parameters.needs_features())
        return tuple(dict.fromkeys(needed))

    def reads_texts(self) -> bool:
        """Whether a member reads texts."""
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
    """Base class of models with a single member."""

    member: RankerModel

    @property
    def compares_candidates(self) -> bool:
        """Whether the member compares candidates."""
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
        """Whether a member compares candidates."""
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
    clipped = np.clip(probabilities, _CLOSEST_TO_CERTAIN, 1 - _CLOSEST_TO_CERTAIN)
    return np.asarray(logit(clipped))


def unbounded(member: RankerSpec, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """A member's scores on an unbounded scale: log-odds of probabilities, other scores unchanged."""
    return log_odds(scores) if build_member(member).gives_probabilities else scores


def member_scores(candidates: Candidates, members: Sequence[RankerModel]) -> NDArray[np.float64]:
    """The scores of all members; shape (candidates, members)."""
    return np.stack([member.score(candidates) for member in members], axis=1)
