"""Calibrates a ranker's scores to probabilities, and chooses the threshold, on out-of-fold scores."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from scipy.special import expit

from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.linear_model import LinearWeights
from cqa_spark.rankers.members import MEMBER, MemberModel, MemberParameters, build_member, unbounded
from cqa_spark.rankers.model import FeatureImportance, LearnedNumbers, ModelDescription
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.saved_model import load_model
from cqa_spark.rankers.scoring import apply_to
from cqa_spark.rankers.threshold import DecideBy, best_threshold
from cqa_spark.rankers.training.group import TrainingGroup
from cqa_spark.rankers.training.linear import LinearLearning
from cqa_spark.rankers.training.parameters import TrainingParameters
from cqa_spark.rankers.training.rows import TaskRows
from cqa_spark.rankers.training.tasks import train_in_tasks
from cqa_spark.rankers.truncation import MISSED, best_truncation

_ORDER_WITHIN_A_STEP = 1e-6
_ITERATIONS = 100


class Curve(LearnedNumbers, ABC):
    """A curve that increases with the score."""

    @property
    def inputs(self) -> int:
        """The score alone."""
        return 1

    @classmethod
    @abstractmethod
    def learn(cls, rows: TaskRows) -> Self:
        """Fit the curve on examples whose only feature is a score."""

    @abstractmethod
    def heights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability at each score."""


class PlattCurve(Curve):
    """A logistic curve: a logistic regression on the score."""

    weights: LinearWeights

    @classmethod
    def learn(cls, rows: TaskRows) -> Self:
        """Fit a logistic regression without penalty."""
        learned = LinearLearning("logistic", l2=0.0, iterations=_ITERATIONS)(rows, TrainingGroup())
        assert learned is not None, "worker 0 returns what it learned"
        return cls(weights=LinearWeights.model_validate_json(learned))

    def heights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of the logistic regression."""
        return expit(self.weights.sums(scores.reshape(-1, 1)))


class IsotonicCurve(Curve):
    """An increasing step function.

    Attributes:
        boundaries: scores at which steps begin and end, ascending.
        predictions: probability at each boundary.
    """

    boundaries: tuple[float, ...]
    predictions: tuple[float, ...]

    @model_validator(mode="after")
    def _rise_together(self) -> IsotonicCurve:
        rises = all(list(each) == sorted(each) for each in (self.boundaries, self.predictions))
        if not rises or len(self.boundaries) != len(self.predictions):
            raise ValueError("boundaries and predictions must be ascending and of equal length")
        return self

    @classmethod
    def learn(cls, rows: TaskRows) -> Self:
        """Fit an isotonic regression."""
        from sklearn.isotonic import IsotonicRegression

        fitted = IsotonicRegression().fit(rows.values[:, 0], rows.targets)
        return cls(boundaries=fitted.X_thresholds_.tolist(), predictions=fitted.y_thresholds_.tolist())

    def heights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The height of the step, plus a tiny increment by score that keeps the order of candidates on one step."""
        steps = np.interp(scores, self.boundaries, self.predictions)
        squashed = 0.5 + np.arctan(scores) / np.pi
        found: NDArray[np.float64] = steps * (1 - _ORDER_WITHIN_A_STEP) + squashed * _ORDER_WITHIN_A_STEP
        return found


_SCORE, _MISSED = "member__score", "query__missed"
_MOST_ROWS = 2_000_000
"""Maximum number of out-of-fold scores for fitting; of more, whole queries are sampled."""
_CURVE = "curve.json"
_CURVES: dict[str, type[Curve]] = {"platt": PlattCurve, "isotonic": IsotonicCurve}


class CalibratedParameters(MemberParameters):
    """The member ranker, and the calibration of its scores."""

    method: Literal["platt", "isotonic"] = Field(
        "platt",
        description="platt: a logistic curve; isotonic: an increasing step function, for a thousand examples or more",
    )
    folds: int = Field(5, ge=2, description="number of folds for out-of-fold scores, by thread")
    decide_by: DecideBy | Literal["tmap"] = Field(
        "mean",
        description="measure that the threshold maximises on out-of-fold scores: accuracy, F1, their mean, or TMAP, "
        "where candidates that retrieval missed count",
    )


@dataclass(frozen=True, eq=False)
class CalibratedModel(MemberModel):
    """The score is a probability; the ranking is that of the member."""

    curve: Curve

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The member's."""
        return self.member.feature_importances()

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> CalibratedModel:
        """Read the member and the curve."""
        curve = folder.read_json(_CURVE, _CURVES[description.parameters["method"]])
        return cls(description, load_model(folder.within(MEMBER)), curve)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the member, in a folder, and the curve."""
        super().save_learned(folder)
        folder.write_json(_CURVE, self.curve)

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """The value of the curve at the member's score."""
        parameters = CalibratedParameters(**self.description.parameters)
        return self.curve.heights(unbounded(parameters.member, self.member.score(candidates)))


class CalibratedRanker(Ranker[CalibratedParameters]):
    """Platt scaling or isotonic regression on out-of-fold scores.

    Source:
        Platt 1999, Probabilistic Outputs for Support Vector Machines; Zadrozny and Elkan 2002, Transforming Classifier
        Scores into Accurate Multiclass Probability Estimates, KDD, section 4.
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
        alone = scored.withColumn(_SCORE, apply_to("score", partial(unbounded, self.parameters.member)))
        if MISSED in frame.columns:
            of_query = frame.select(*QUERY, F.col(MISSED).cast("double").alias(_MISSED)).distinct()
            alone = alone.join(of_query, on=list(QUERY))
        learning = _Calibration(_CURVES[self.parameters.method], self.parameters.decide_by)
        used = sample_queries(alone, _MOST_ROWS, rows=member.training_rows)
        trained = train_in_tasks(
            used, lambda _: learning, TrainingParameters(workers=1), target="relevant", sent="double"
        )
        learned = json.loads(trained.learned)
        curve = learning.curve.model_validate(learned["curve"])
        description = self.describe(features, threshold=learned["threshold"], training=trained.counts)
        return CalibratedModel(description, member, curve)


@dataclass(frozen=True)
class _Calibration:
    """Fits a curve and a threshold on the scores of a task's examples."""

    curve: type[Curve]
    decide_by: DecideBy | Literal["tmap"]

    def __call__(self, rows: TaskRows, _: TrainingGroup) -> str:
        curve = self.curve.learn(rows.leading(1))
        scores, *missed = rows.values.T
        heights = curve.heights(scores)
        threshold = (
            best_truncation(heights, rows.relevant, rows.queries, *missed)
            if self.decide_by == "tmap"
            else best_threshold(heights, rows.relevant, self.decide_by)
        )
        return json.dumps({"curve": curve.model_dump(), "threshold": threshold})
