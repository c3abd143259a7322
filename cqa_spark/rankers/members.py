"""Rankers that are made of other rankers: how their members are named, built, saved and scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.model import ModelDescription, RankerModel
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.rankers.saved_model import load_model
from cqa_spark.rankers.spec import RankerSpec

_CLOSEST_TO_CERTAIN = 1e-9


class MembersParameters(RankerParameters):
    """Base of the parameters of a ranker that is made of several others."""

    members: tuple[RankerSpec, ...]

    def needs_features(self) -> tuple[str, ...]:
        """The features that the members' parameters name."""
        needed = [name for member in self.members for name in build_member(member).parameters.needs_features()]
        return tuple(dict.fromkeys(needed))


def build_member(member: RankerSpec) -> Ranker[Any]:
    """The ranker of a member, before it has learned."""
    return build_ranker(member.name, member.parameters)


def save_members(members: Sequence[RankerModel], folder: NewModelFolder) -> None:
    """Write models, one folder each."""
    for number, member in enumerate(members):
        member.save(folder.within(str(number)))


def load_members(description: ModelDescription, folder: ModelFolder) -> tuple[RankerModel, ...]:
    """Read the members of a model, as many as its parameters name."""
    return tuple(load_model(folder.within(str(number))) for number in range(len(description.parameters["members"])))


def log_odds(score: str) -> Column:
    """The log-odds of a column of probabilities, which are kept a little away from 0 and 1."""
    kept = F.least(F.greatest(F.col(score), F.lit(_CLOSEST_TO_CERTAIN)), F.lit(1 - _CLOSEST_TO_CERTAIN))
    return F.log(kept / (1 - kept))


def with_member_scores(frame: DataFrame, members: Sequence[RankerModel], names: Sequence[str]) -> DataFrame:
    """Add the score of each member under its name."""
    scored = frame
    for name, member in zip(names, members, strict=True):
        scored = member.transform(scored).drop("predicted").withColumnRenamed("score", name)
    return scored
