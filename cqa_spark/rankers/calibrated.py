"""A ranker whose scores are made probabilities, with a threshold that was chosen on examples it did not learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import LogisticRegression
from pyspark.ml.functions import vector_to_array
from pyspark.ml.regression import IsotonicRegression
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.linear_model import standardised
from cqa_spark.rankers.members import build_member, load_member, log_odds
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.ranker import Ranker, RankerParameters, RankerSpec
from cqa_spark.rankers.threshold import DecideBy, best_threshold
from cqa_spark.rankers.training_rows import training_rows

_SCORE = "member__score"
_ORDER_WITHIN_A_STEP = 1e-6


class CalibratedParameters(RankerParameters):
    """Whose scores, and how they become probabilities."""

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
    calibrator: PipelineModel

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """The member's."""
        return self.member.feature_importances()

    @classmethod
    def load_learned(cls, description: ModelDescription, path: str) -> CalibratedModel:
        """Read the member and the curve, one folder each."""
        return cls(description, load_member(f"{path}/member"), PipelineModel.load(f"{path}/calibrator"))

    def _save_learned(self, path: str) -> None:
        self.member.save(f"{path}/member")
        self.calibrator.write().overwrite().save(f"{path}/calibrator")

    def _score(self, frame: DataFrame) -> DataFrame:
        parameters = CalibratedParameters(**self.description.parameters)
        scored = self.member.transform(frame).drop("predicted")
        return _calibrate(scored.withColumn(_SCORE, _unbounded(parameters.member)), self.calibrator, parameters)


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
            calibrator = self._curve().fit(training.frame)
            calibrated = _calibrate(training.frame, calibrator, self.parameters)
            threshold = best_threshold(calibrated, self.parameters.decide_by)
        description = self.describe(features, threshold=threshold, training=training.counts)
        return CalibratedModel(description, ranker.fit(frame), calibrator)

    def _curve(self) -> Pipeline:
        if self.parameters.method == "platt":
            return standardised((_SCORE,), LogisticRegression(regParam=0.0))
        steps: Any = IsotonicRegression(featuresCol=_SCORE, labelCol="target", predictionCol="step")
        return Pipeline(stages=[steps])


def _unbounded(member: RankerSpec) -> Column:
    """The member's score on a scale without ends: log-odds of probabilities, other scores as they are."""
    return log_odds("score") if build_member(member).gives_probabilities else F.col("score")


def _calibrate(frame: DataFrame, calibrator: PipelineModel, parameters: CalibratedParameters) -> DataFrame:
    """Put the probability in the place of the score."""
    transformed = calibrator.transform(frame)
    if parameters.method == "platt":
        return transformed.withColumn("score", vector_to_array(F.col("probability"))[1])
    # Candidates on one step keep their order by a share of the score that is too small to leave the step.
    squashed = 0.5 + F.atan(_SCORE) / F.pi()
    kept = F.col("step") * (1 - _ORDER_WITHIN_A_STEP) + squashed * _ORDER_WITHIN_A_STEP
    return transformed.withColumn("score", kept)
