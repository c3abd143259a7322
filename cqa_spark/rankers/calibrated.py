"""Calibrates a ranker's scores to probabilities, and chooses the threshold, on out-of-fold scores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from scipy.special import expit

from cqa_spark.features.training_data import sample_queries
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.candidates import Candidates, feature_columns
from cqa_spark.rankers.linear import LinearLearning, LinearWeights
from cqa_spark.rankers.members import MEMBER, MemberModel, MemberParameters, build_member, unbounded
from cqa_spark.rankers.model import FeatureImportance, ModelDescription
from cqa_spark.rankers.out_of_fold import best_threshold, best_truncation, out_of_fold
from cqa_spark.rankers.ranker import Ranker, load_model
from cqa_spark.rankers.scoring import apply_to
from cqa_spark.rankers.training import TaskRows, TrainingParameters, train_in_tasks
from cqa_spark.rankers.training_group import TrainingGroup

MISSED = "missed"
"""The column of training examples with the number of the query's relevant candidates that retrieval missed."""

_ITERATIONS = 100
"""Maximum number of iterations of L-BFGS for the curve, which has two weights."""
_SCORE, _MISSED = "member__score", "query__missed"
"""Columns of the member's score and of ``MISSED``, named as features, because training tasks read features."""
_MOST_ROWS = 2_000_000
"""Maximum number of out-of-fold scores for fitting; of more, whole queries are sampled."""
_CURVE = "curve.json"


class CalibratedParameters(MemberParameters):
    """The member ranker, and the calibration of its scores."""

    folds: int = Field(5, ge=2, description="number of folds for out-of-fold scores, by thread")
    decide_by: Literal["mean", "tmap"] = Field(
        "mean",
        description="measure that the threshold maximises on out-of-fold scores: the mean of accuracy and F1, or TMAP, "
        "where candidates that retrieval missed count",
    )


@dataclass(frozen=True, eq=False)
class CalibratedModel(MemberModel):
    """The score is a probability: a logistic function of the member's score. The ranking is the member's."""

    curve: LinearWeights

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The importances of the member."""
        return self.member.feature_importances()

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> CalibratedModel:
        """Read the member and the curve."""
        curve = folder.read_json(_CURVE, LinearWeights)
        if curve.inputs != 1:
            raise folder.refusal(_CURVE, f"it is for {curve.inputs} scores, not 1")
        return cls(description, load_model(folder.within(MEMBER)), curve)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the member, in a folder, and the curve."""
        super().save_learned(folder)
        folder.write_json(_CURVE, self.curve)

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The value of the curve at the member's score."""
        parameters = CalibratedParameters(**self.description.parameters)
        return _probabilities(self.curve, unbounded(parameters.member, self.member.score(candidates)))


class CalibratedRanker(Ranker[CalibratedParameters]):
    """A logistic regression on out-of-fold scores.

    Source:
        Platt 1999, Probabilistic Outputs for Support Vector Machines.
    """

    name = "calibrated"
    about = "calibrates another ranker's scores to probabilities and chooses the threshold, on out-of-fold scores"
    parameters_type = CalibratedParameters
    model_type = CalibratedModel
    gives_probabilities = True

    def fit(self, frame: DataFrame) -> CalibratedModel:
        """Fit curve and threshold on out-of-fold scores, and the member on all examples."""
        ranker = build_member(self.parameters.member)
        features = feature_columns(frame)
        member = ranker.fit_scores(frame)
        scored = out_of_fold(ranker, frame, folds=self.parameters.folds)
        inputs = scored.withColumn(_SCORE, apply_to("score", partial(unbounded, self.parameters.member)))
        if MISSED in frame.columns:
            missed_by_query = frame.select(*QUERY, F.col(MISSED).cast("double").alias(_MISSED)).distinct()
            inputs = inputs.join(missed_by_query, on=list(QUERY))
        sample = sample_queries(inputs, _MOST_ROWS, rows=member.training_rows)
        learning = _Calibration(self.parameters.decide_by)
        trained = train_in_tasks(
            sample, lambda _: learning, TrainingParameters(workers=1), target="relevant", sent="double"
        )
        learned = json.loads(trained.learned)
        curve = LinearWeights.model_validate(learned["curve"])
        description = self.describe(features, threshold=learned["threshold"], training=trained.counts)
        return CalibratedModel(description, member, curve)


@dataclass(frozen=True)
class _Calibration:
    """Fits a curve and a threshold on the scores of a task's examples."""

    decide_by: Literal["mean", "tmap"]

    def __call__(self, rows: TaskRows, _: TrainingGroup) -> str:
        learned = LinearLearning("logistic", l2=0.0, iterations=_ITERATIONS)(rows.leading(1), TrainingGroup())
        assert learned is not None, "worker 0 returns what it learned"
        curve = LinearWeights.model_validate_json(learned)
        scores, *missed = rows.values.T  # one row per feature: the score, then the missed candidates if they are known
        probabilities = _probabilities(curve, scores)
        if self.decide_by == "tmap":
            threshold = best_truncation(probabilities, rows.relevant, rows.queries, *missed)
        else:
            threshold = best_threshold(probabilities, rows.relevant)
        return json.dumps({"curve": curve.model_dump(), "threshold": threshold})


def _probabilities(curve: LinearWeights, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of the curve at each score."""
    return expit(curve.sums(scores.reshape(-1, 1)))
