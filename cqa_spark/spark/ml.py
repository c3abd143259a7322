"""Fitted transformers of Spark ML, made from their numbers.

Spark's own readers instantiate whatever class a file names; none of them is used. What is made here transforms as the
fitted transformer did that the numbers come from, to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from pyspark.ml.classification import (
    LinearSVCModel,
    LogisticRegressionModel,
    MultilayerPerceptronClassificationModel,
)
from pyspark.ml.common import _py2java as to_java
from pyspark.ml.feature import MinMaxScalerModel, StandardScalerModel
from pyspark.ml.linalg import Vectors
from pyspark.ml.regression import IsotonicRegressionModel, LinearRegressionModel
from pyspark.ml.wrapper import JavaModel
from pyspark.sql import SparkSession

M = TypeVar("M", bound=JavaModel)


def standard_scaler(mean: Sequence[float], std: Sequence[float]) -> StandardScalerModel:
    """A scaler that subtracts the mean of each feature and divides by its standard deviation."""
    scaler = _made(StandardScalerModel, "feature.StandardScalerModel", _vector(std), _vector(mean))
    return scaler._set(withMean=True, withStd=True)


def min_max_scaler(low: Sequence[float], high: Sequence[float]) -> MinMaxScalerModel:
    """A scaler of each feature from ``low`` to ``high`` onto 0 to 1."""
    return _made(MinMaxScalerModel, "feature.MinMaxScalerModel", _vector(low), _vector(high))


def logistic_regression(
    coefficients: Sequence[float] | NDArray[np.float64], intercept: float
) -> LogisticRegressionModel:
    """A binary logistic regression."""
    # Spark's own fit compresses the coefficients too: sparse ones are added up in another way than dense ones.
    row = JavaModel._new_java_obj(
        "org.apache.spark.ml.linalg.DenseMatrix", 1, len(coefficients), _vector(coefficients).toArray(), True
    ).compressed()
    return _made(LogisticRegressionModel, "classification.LogisticRegressionModel", row, _vector([intercept]), 2, False)


def linear_regression(coefficients: Sequence[float], intercept: float) -> LinearRegressionModel:
    """A linear regression by least squares."""
    name = "regression.LinearRegressionModel"
    return _made(LinearRegressionModel, name, _vector(coefficients), float(intercept), 1.0)


def linear_svm(coefficients: Sequence[float], intercept: float) -> LinearSVCModel:
    """A linear support vector machine."""
    return _made(LinearSVCModel, "classification.LinearSVCModel", _vector(coefficients), float(intercept))


def multilayer_perceptron(layers: Sequence[int], weights: Sequence[float]) -> MultilayerPerceptronClassificationModel:
    """A network of sigmoid layers with a softmax on top.

    Args:
        layers: nodes of each layer, from the features to the classes.
        weights: of all layers, in Spark's order.
    """
    name = "classification.MultilayerPerceptronClassificationModel"
    network = _made(MultilayerPerceptronClassificationModel, name, _vector(weights))
    return network._set(layers=list(layers))


def isotonic_regression(boundaries: Sequence[float], predictions: Sequence[float]) -> IsotonicRegressionModel:
    """A rising curve, linear between the boundaries."""
    curve = JavaModel._new_java_obj(
        "org.apache.spark.mllib.regression.IsotonicRegressionModel",
        _vector(boundaries).toArray(),
        _vector(predictions).toArray(),
        True,
    )
    return _made(IsotonicRegressionModel, "regression.IsotonicRegressionModel", curve)


def _made(model: type[M], java_class: str, *arguments: Any) -> M:
    uid = f"{model.__name__}_{uuid4().hex[:12]}"
    return model(JavaModel._new_java_obj(f"org.apache.spark.ml.{java_class}", uid, *arguments))


def _vector(values: Sequence[float] | NDArray[np.float64]) -> Any:
    spark: Any = SparkSession.active()
    return to_java(spark.sparkContext, Vectors.dense(values))
