"""What linear rankers share: features on one scale before Spark ML's classifier, coefficients as importances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import StandardScaler, VectorAssembler

from cqa_spark.rankers.model import FeatureImportance, LearnedModel, ModelDescription


class LinearModel(LearnedModel):
    """A pipeline of assembler, scaler and a classifier with coefficients."""

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the absolute standardised coefficients, which are comparable between features."""
        coefficients = [float(value) for value in self.learned.stages[-1].coefficients]
        total = sum(abs(value) for value in coefficients) or 1.0
        return tuple(
            FeatureImportance(name, abs(value) / total, (value > 0) - (value < 0))
            for name, value in zip(self.description.features, coefficients, strict=True)
        )

    def contributions(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Coefficients times the distances from the training part's means, in standard deviations."""
        _, scaler, classifier = self.learned.stages
        spread = scaler.std.toArray()
        scaled = np.divide(values - scaler.mean.toArray(), spread, out=np.zeros_like(values), where=spread > 0)
        found: NDArray[np.float64] = scaled * classifier.coefficients.toArray()
        return found

    @classmethod
    def load_learned(cls, description: ModelDescription, path: str) -> LinearModel:
        """Read the pipeline."""
        return cls(description, PipelineModel.load(path))


def standardised(features: tuple[str, ...], classifier: Any) -> Pipeline:
    """Features with mean 0 and variance 1 before a classifier.

    Args:
        features: feature columns, in the order of the coefficients.
        classifier: an estimator of Spark ML; it is told where features and target stand, and to scale nothing itself.
    """
    assembler = VectorAssembler(inputCols=list(features), outputCol="raw_features", handleInvalid="error")
    scaler = StandardScaler(inputCol="raw_features", outputCol="features", withMean=True, withStd=True)
    told = classifier.setLabelCol("target").setFeaturesCol("features").setStandardization(False)
    return Pipeline(stages=[assembler, scaler, told])
