"""What linear rankers share: features on one scale before Spark ML's classifier, coefficients as importances."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import StandardScaler, VectorAssembler
from pyspark.sql import DataFrame

from cqa_spark.rankers.model import FeatureImportance, LearnedNumbers, NumbersModel
from cqa_spark.spark import ml

_RAW, _SCALED = "raw_features", "features"


class LinearWeights(LearnedNumbers):
    """A linear function of standardised features.

    Attributes:
        mean: of each feature in the training part.
        std: standard deviation of each feature there.
        coefficients: of each standardised feature.
        intercept: what is added.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float

    @model_validator(mode="after")
    def _have_one_length(self) -> LinearWeights:
        if not len(self.mean) == len(self.std) == len(self.coefficients):
            raise ValueError("mean, std and coefficients are of different lengths")
        return self

    @property
    def inputs(self) -> int:
        """How many features there are."""
        return len(self.coefficients)

    @classmethod
    def fit(cls, frame: DataFrame, features: Sequence[str], classifier: Any) -> LinearWeights:
        """Learn the column ``target``.

        Args:
            frame: training examples, in a fixed order.
            features: feature columns, in the order of the coefficients.
            classifier: a linear estimator of Spark ML; its columns are set here, and it scales nothing itself.
        """
        scaler = StandardScaler(inputCol=_RAW, outputCol=_SCALED, withMean=True, withStd=True)
        last = classifier.setLabelCol("target").setFeaturesCol(_SCALED).setStandardization(False)
        pipeline: Any = Pipeline(stages=[_assembler(features), scaler, last]).fit(frame)
        _, scaled, fitted = pipeline.stages
        return cls(
            mean=scaled.mean.toArray().tolist(),
            std=scaled.std.toArray().tolist(),
            coefficients=fitted.coefficients.toArray().tolist(),
            intercept=fitted.intercept,
        )

    def transform(self, frame: DataFrame, features: Sequence[str], classifier: Any) -> DataFrame:
        """Apply a classifier with these coefficients.

        Args:
            frame: has the features.
            features: feature columns, in the order of the coefficients.
            classifier: a fitted one of Spark ML.
        """
        scaler = ml.standard_scaler(self.mean, self.std).setInputCol(_RAW).setOutputCol(_SCALED)
        return PipelineModel([_assembler(features), scaler, classifier.setFeaturesCol(_SCALED)]).transform(frame)


@dataclass(frozen=True, eq=False)
class LinearModel(NumbersModel):
    """Standardised features, and a classifier with coefficients."""

    learned_type: ClassVar[type[LearnedNumbers]] = LinearWeights

    learned: LinearWeights

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the absolute standardised coefficients, which are comparable between features."""
        coefficients = self.learned.coefficients
        total = sum(abs(value) for value in coefficients) or 1.0
        return tuple(
            FeatureImportance(name, abs(value) / total, (value > 0) - (value < 0))
            for name, value in zip(self.description.features, coefficients, strict=True)
        )

    def contributions(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Coefficients times the distances from the training part's means, in standard deviations."""
        spread = np.array(self.learned.std)
        scaled = np.divide(values - np.array(self.learned.mean), spread, out=np.zeros_like(values), where=spread > 0)
        found: NDArray[np.float64] = scaled * np.array(self.learned.coefficients)
        return found

    @abstractmethod
    def _classifier(self) -> Any:
        """The fitted classifier of Spark ML that has these coefficients."""

    def _transform(self, frame: DataFrame) -> DataFrame:
        """The frame with the classifier's columns."""
        return self.learned.transform(frame, self.description.features, self._classifier())


def _assembler(features: Sequence[str]) -> VectorAssembler:
    return VectorAssembler(inputCols=list(features), outputCol=_RAW, handleInvalid="error")
