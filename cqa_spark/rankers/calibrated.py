"""A ranker whose scores are made probabilities, with a threshold that was chosen on examples it did not learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.calibration_curves import Curve, IsotonicCurve, PlattCurve
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.members import build_member, log_odds
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.saved_model import load_model
from cqa_spark.rankers.spec import RankerSpec
from cqa_spark.rankers.threshold import DecideBy, best_threshold
from cqa_spark.rankers.training_rows import training_rows

_SCORE = "member__score"
_MEMBER, _CURVE = "member", "curve.json"
_CURVES: dict[str, type[Curve]] = {"platt": PlattCurve, "isotonic": IsotonicCurve}


class CalibratedParameters(RankerParameters):
    """The member ranker, and the calibration of its scores."""

    member: RankerSpec = Field(description="the ranker, with name and parameters")
    method: Literal["platt", "isotonic"] = Field(
        "platt",
        description="platt: a logistic curve; isotonic: a rising step function, for a thousand examples or more",
    )
    folds: int = Field(5, ge=2, description="folds that the scores are made in, by thread with its repeats")
    decide_by: DecideBy = Field(
        "mean", description="what the threshold makes as high as it can out of fold: accuracy, F1, or their mean"
    )

    def needs_features(self) -> tuple[str, ...]:
        """The features that the member's parameters name."""
        return build_member(self.member).parameters.needs_features()


@dataclass(frozen=True, eq=False)
class CalibratedModel(RankerModel):
    """The score is a probability; candidates are in the order that the member puts them in."""

    member: RankerModel
    curve: Curve

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The member's."""
        return self.member.feature_importances()

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> CalibratedModel:
        """Read the member and the curve."""
        curve = folder.read_json(_CURVE, _CURVES[description.parameters["method"]])
        return cls(description, load_model(folder.within(_MEMBER)), curve)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write the member, in a folder, and the curve."""
        self.member.save(folder.within(_MEMBER))
        folder.write_json(_CURVE, self.curve)

    def _score(self, frame: DataFrame) -> DataFrame:
        parameters = CalibratedParameters(**self.description.parameters)
        scored = self.member.transform(frame).drop("predicted")
        return self.curve.apply(scored.withColumn(_SCORE, _unbounded(parameters.member)), _SCORE)


class CalibratedRanker(Ranker[CalibratedParameters]):
    """Platt scaling or isotonic regression on out-of-fold scores.

    Source:
        Platt 1999, Probabilistic Outputs for Support Vector Machines; Zadrozny and Elkan 2002, Transforming Classifier
        Scores into Accurate Multiclass Probability Estimates, KDD, section 4.
    """

    name = "calibrated"
    about = "makes another ranker's scores probabilities and chooses the threshold, both out of fold"
    parameters_type: ClassVar[type[RankerParameters]] = CalibratedParameters
    model_type: ClassVar[type[RankerModel]] = CalibratedModel

    @property
    def gives_probabilities(self) -> bool:
        """Always."""
        return True

    def fit(self, frame: DataFrame) -> CalibratedModel:
        """Learn the curve and the threshold from out-of-fold scores, then the member from everything."""
        ranker = build_member(self.parameters.member)
        features = feature_columns(frame)
        scored = out_of_fold(ranker, frame, folds=self.parameters.folds)
        alone = scored.withColumn(_SCORE, _unbounded(self.parameters.member)).drop(*features)
        with training_rows(alone, target="relevant") as training:
            curve = _CURVES[self.parameters.method].learn(training.frame, _SCORE)
            threshold = best_threshold(curve.apply(training.frame, _SCORE), self.parameters.decide_by)
        description = self.describe(features, threshold=threshold, training=training.counts)
        return CalibratedModel(description, ranker.fit(frame), curve)


def _unbounded(member: RankerSpec) -> Column:
    """The member's score on a scale without ends: log-odds of probabilities, other scores as they are."""
    return log_odds("score") if build_member(member).gives_probabilities else F.col("score")
