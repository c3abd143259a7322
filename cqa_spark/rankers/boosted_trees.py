"""Gradient-boosted trees, by XGBoost on Spark."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field
from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.ranges import Between
from cqa_spark.rankers.ranker import Ranker, RankerParameters
from cqa_spark.rankers.threshold import with_share_threshold
from cqa_spark.rankers.training_rows import training_rows
from cqa_spark.rankers.xgboost_json import XGBoostJson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xgboost import Booster

_TREES = "trees.json"
_LOGGERS = ("XGBoost-PySpark", "SparkXGBClassifier", "SparkXGBRanker", "SparkXGBRegressor")
_TARGETS = {"classification": "relevant", "regression": "similarity"}


class BoostedTreesParameters(RankerParameters):
    """What can be set; names in brackets are XGBoost's."""

    objective: Literal["classification", "pairwise", "listwise", "regression"] = Field(
        "classification",
        description="classification learns relevant; pairwise (LambdaMART on pairs) and listwise (on nDCG) the label; "
        "regression (least squares) the similarity",
    )
    trees: Annotated[int, Between(50, 800, log=True, whole=True)] = Field(
        300, ge=1, description="number of trees (n_estimators)"
    )
    depth: Annotated[int, Between(2, 7, whole=True)] = Field(
        4, ge=1, description="greatest depth of a tree (max_depth)"
    )
    learning_rate: Annotated[float, Between(0.01, 0.2, log=True)] = Field(
        0.05, gt=0, description="weight of each tree's vote (learning_rate)"
    )
    row_share: Annotated[float, Between(0.4, 1)] = Field(
        0.8, gt=0, le=1, description="share of the rows that a tree sees (subsample)"
    )
    column_share: Annotated[float, Between(0.1, 1, log=True)] = Field(
        0.5, gt=0, le=1, description="share of the features a tree sees (colsample_bytree)"
    )
    min_child_weight: Annotated[float, Between(1, 50, log=True)] = Field(
        1.0, ge=0, description="least sum of second derivatives in a leaf"
    )
    l2: Annotated[float, Between(0.1, 30, log=True)] = Field(
        1.0, ge=0, description="strength of the L2 penalty on leaf values (reg_lambda)"
    )
    seed: int = Field(1, description="seed of the choice of rows and features")
    workers: int = Field(1, ge=1, description="Spark tasks that train together, each with a core; queries stay whole")
    threshold: float = Field(
        0.5, ge=0, le=1, description="probability from which on a candidate is predicted relevant; classification only"
    )


@dataclass(frozen=True, eq=False)
class BoostedTreesModel(RankerModel):
    """The score is the probability of being relevant (classification) or the trees' sum (all others).

    Attributes:
        trees: XGBoost's model, checked.
    """

    trees: XGBoostJson

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the total gain of the splits on each feature; a feature in no split has 0."""
        gains: dict[str, Any] = self._booster().get_score(importance_type="total_gain")
        total = sum(gains.values()) or 1.0
        return tuple(FeatureImportance(name, gains.get(name, 0.0) / total, 0) for name in self.description.features)

    def contributions(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Tree SHAP (Lundberg et al. 2020, From local explanations to global understanding), in log odds or sums."""
        from xgboost import DMatrix

        booster = self._booster()
        rows = DMatrix(values, feature_names=booster.feature_names)
        found: NDArray[np.float64] = booster.predict(rows, pred_contribs=True)
        return found[:, :-1]  # the last column is what all candidates start from

    def _score(self, frame: DataFrame) -> DataFrame:
        scored = self._spark_model().transform(frame)
        if self._objective == "classification":
            return scored.withColumn("score", vector_to_array(F.col("probability"))[1])
        return scored.withColumnRenamed("prediction", "score")

    @classmethod
    def load_learned(cls, description: ModelDescription, folder: ModelFolder) -> BoostedTreesModel:
        """Read XGBoost's model."""
        trees = folder.read_json(_TREES, XGBoostJson)
        try:
            trees.check(description.features, description.parameters["depth"])
        except ValueError as error:
            raise folder.refusal(_TREES, str(error)) from error
        return cls(description, trees)

    def save_learned(self, folder: NewModelFolder) -> None:
        """Write XGBoost's model."""
        folder.write_json(_TREES, self.trees)

    @property
    def _objective(self) -> str:
        return str(self.description.parameters["objective"])

    def _booster(self) -> Booster:
        from xgboost import Booster

        return Booster(model_file=self.trees.data())

    def _spark_model(self) -> Any:
        """XGBoost's transformer around the trees; its own reader would unpickle what a file holds."""
        import xgboost
        from xgboost import spark

        _quieten()
        kind = {"classification": "Classifier", "regression": "Regressor"}.get(self._objective, "Ranker")
        trees = getattr(xgboost, f"XGB{kind}")()
        trees.load_model(self.trees.data())
        model = getattr(spark, f"SparkXGB{kind}Model")(trees)
        estimator = getattr(spark, f"SparkXGB{kind}")
        return estimator(features_col=list(self.description.features))._copyValues(model)


class BoostedTreesRanker(Ranker[BoostedTreesParameters]):
    """Trees by the histogram method; pairwise and listwise are LambdaMART (Burges 2010, MSR-TR-2010-82)."""

    name = "boosted_trees"
    about = "orders candidates by gradient-boosted trees, fitted to candidates, pairs, whole lists or similarities"
    parameters_type: ClassVar[type[RankerParameters]] = BoostedTreesParameters
    model_type: ClassVar[type[RankerModel]] = BoostedTreesModel

    @property
    def gives_probabilities(self) -> bool:
        """As a classifier."""
        return self.parameters.objective == "classification"

    @property
    def gives_similarities(self) -> bool:
        """As a regressor."""
        return self.parameters.objective == "regression"

    def fit(self, frame: DataFrame) -> BoostedTreesModel:
        """Learn as ``fit_scores`` does; a threshold for other scores than probabilities is set out of fold."""
        model = self.fit_scores(frame)
        return model if self.gives_probabilities else with_share_threshold(model, self, frame)

    def fit_scores(self, frame: DataFrame) -> BoostedTreesModel:
        """Learn ``relevant`` (classification), ``similarity`` (regression) or ``label`` (all others) from the features.

        Training uses Spark's barrier mode: dynamic allocation has to be off, and ``workers`` cores free at once.
        """
        target = _TARGETS.get(self.parameters.objective, "label")
        with training_rows(frame, target=target, workers=self.parameters.workers) as training:
            booster = self._estimator(training.features).fit(training.frame).get_booster()
            trees = XGBoostJson.model_validate_json(booster.save_raw("json"))
            threshold = self.parameters.threshold if self.gives_probabilities else None
            return BoostedTreesModel(
                self.describe(training.features, threshold=threshold, training=training.counts), trees
            )

    def _estimator(self, features: tuple[str, ...]) -> Any:
        # Importing it takes seconds, which reading a system's file should not.
        from xgboost.spark import SparkXGBClassifier, SparkXGBRanker, SparkXGBRegressor

        _quieten()
        common: dict[str, Any] = {
            "features_col": list(features),
            "label_col": "target",
            "num_workers": self.parameters.workers,
            "n_estimators": self.parameters.trees,
            "max_depth": self.parameters.depth,
            "learning_rate": self.parameters.learning_rate,
            "subsample": self.parameters.row_share,
            "colsample_bytree": self.parameters.column_share,
            "min_child_weight": self.parameters.min_child_weight,
            "reg_lambda": self.parameters.l2,
            "random_state": self.parameters.seed,
            "tree_method": "hist",
            "verbosity": 0,
            "verbose": False,
        }
        if self.gives_probabilities:
            return SparkXGBClassifier(**common)
        if self.gives_similarities:
            return SparkXGBRegressor(**common)
        objective = "rank:pairwise" if self.parameters.objective == "pairwise" else "rank:ndcg"
        return SparkXGBRanker(**common, objective=objective, qid_col="query_number")


def _quieten() -> None:
    """XGBoost's Spark estimators report every fit and every task at level INFO."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
