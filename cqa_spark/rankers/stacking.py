"""An ensemble whose weights are fitted on the members' out-of-fold scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.linear_model import LinearModel
from cqa_spark.rankers.logistic_regression import (
    LogisticRegressionModel,
    LogisticRegressionParameters,
    LogisticRegressionRanker,
)
from cqa_spark.rankers.members import (
    MembersModel,
    MembersParameters,
    build_member,
    load_members,
    member_scores,
    unbounded,
)
from cqa_spark.rankers.model import FeatureImportance, ModelDescription
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.saved_model import load_model
from cqa_spark.rankers.scoring import apply_to
from cqa_spark.rankers.spec import RankerSpec

_KEY = EXAMPLES.key
_BLEND = "blend"
_MOST_ROWS = 2_000_000
"""Maximum number of out-of-fold scores for fitting the blend; of more, whole queries are sampled."""


class StackingParameters(MembersParameters):
    """Parameters of the ensemble and its blend."""

    members: tuple[RankerSpec, ...] = Field(
        min_length=2, description="rankers of any kind, each with name and parameters"
    )
    folds: int = Field(5, ge=2, description="number of folds for the members' out-of-fold scores, by thread")
    l2: Annotated[float, Between(1e-4, 0.1, log=True)] = Field(
        0.001, ge=0, description="strength of the L2 penalty on the members' standardised weights"
    )
    threshold: float = Field(0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant")


@dataclass(frozen=True, eq=False)
class StackingModel(MembersModel):
    """The score is the probability from a logistic regression on the members' scores."""

    blend: LinearModel

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The members' shares, weighted by the members' absolute standardised weights."""
        found: dict[str, list[tuple[float, FeatureImportance]]] = defaultdict(list)
        for weight, member in zip(self.blend.feature_importances(), self.members, strict=True):
            for each in member.feature_importances():
                found[each.feature].append((weight.importance, each))
        total = sum(weight * each.importance for known in found.values() for weight, each in known) or 1.0
        return tuple(
            FeatureImportance(name, sum(weight * each.importance for weight, each in found[name]) / total, 0)
            for name in self.description.features
        )

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> StackingModel:
        """Read the members and the blend, one folder each."""
        blend = load_model(folder.within(_BLEND))
        if not isinstance(blend, LogisticRegressionModel):
            raise folder.refusal(_BLEND, f"it contains {blend.description.ranker}, not logistic_regression")
        return cls(description, load_members(description, folder), blend)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the members and the blend, one folder each."""
        super().save_learned(folder)
        self.blend.save(folder.within(_BLEND))

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The blend of the members' scores."""
        kinds = StackingParameters(**self.description.parameters).members
        scores = member_scores(candidates, self.members)
        comparable = np.stack([unbounded(*each) for each in zip(kinds, scores.T, strict=True)], axis=1)
        return self.blend.score(candidates.instead(_names(kinds), comparable))


class StackingRanker(Ranker[StackingParameters]):
    """Stacked generalization (Wolpert 1992) with a logistic regression on top.

    The weights are fitted on out-of-fold scores; the final members are fitted on all examples.
    """

    name = "stacking"
    about = "ranks candidates by a logistic regression on the out-of-fold scores of several rankers"
    parameters_type = StackingParameters
    model_type = StackingModel
    gives_probabilities = True

    def fit(self, frame: DataFrame) -> StackingModel:
        """Learn ``relevant`` from the features; fit each member once per fold and once on all examples."""
        rankers = [build_member(member) for member in self.parameters.members]
        members = tuple(ranker.fit_scores(frame) for ranker in rankers)
        rows = max(member.training_rows for member in members)
        blend = LogisticRegressionRanker(LogisticRegressionParameters.model_validate({"l2": self.parameters.l2}))
        weights = blend.fit(sample_queries(self._out_of_fold(frame, rankers), _MOST_ROWS, rows))
        description = self.describe(
            feature_columns(frame), threshold=self.parameters.threshold, training=weights.description.training
        )
        return StackingModel(description, members, weights)

    def _out_of_fold(self, frame: DataFrame, rankers: Sequence[Ranker[Any]]) -> DataFrame:
        """The examples with the members' scores as features."""
        members = self.parameters.members
        scored = [
            out_of_fold(ranker, frame, folds=self.parameters.folds).select(
                *_KEY, apply_to("score", partial(unbounded, member)).alias(name)
            )
            for ranker, member, name in zip(rankers, members, _names(members), strict=True)
        ]
        features = feature_columns(frame)
        examples = frame.select(*(name for name in frame.columns if name not in features))
        return reduce(lambda left, right: left.join(right, on=list(_KEY), how="inner"), scored, examples)


def _names(members: Sequence[RankerSpec]) -> list[str]:
    """Names of the blend's features: log-odds of probabilities, which are additive, or scores."""
    return [f"member__{number}" for number in range(len(members))]
