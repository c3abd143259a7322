"""Gradient-boosted trees, by XGBoost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.out_of_fold import with_share_threshold
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.training import TaskRows, TrainingParameters, train_in_tasks
from cqa_spark.rankers.training_group import TrainingGroup, import_xgboost
from cqa_spark.rankers.tuning_ranges import Between
from cqa_spark.rankers.xgboost_json import XGBoostJson

if TYPE_CHECKING:
    from xgboost import Booster

_TREES = "trees.json"
_OBJECTIVES = {
    "classification": "binary:logistic",
    "pairwise": "rank:pairwise",
    "listwise": "rank:ndcg",
    "regression": "reg:squarederror",
}
_TARGETS = {"classification": "relevant", "regression": "similarity"}

_THREADED_FROM = 10_000_000
"""Values from which a worker uses all of its cores; with fewer, threads wait for each other longer than they work."""


class BoostedTreesParameters(TrainingParameters):
    """Parameters of the ranker; XGBoost's names are in parentheses."""

    objective: Literal["classification", "pairwise", "listwise", "regression"] = Field(
        "classification",
        description="classification predicts relevant; pairwise (LambdaMART on pairs) and listwise (on nDCG) use the "
        "label; regression (least squares) predicts the similarity",
    )
    trees: Annotated[int, Between(50, 800, log=True, whole=True)] = Field(
        300, ge=1, description="number of rounds (n_estimators), of one tree each unless parallel_trees is higher"
    )
    parallel_trees: int = Field(
        1,
        ge=1,
        description="number of trees of a round, averaged (num_parallel_tree): one round, with a learning rate of 1, "
        "is a random forest (Breiman 2001)",
    )
    depth: Annotated[int, Between(2, 7, whole=True)] = Field(4, ge=1, description="maximum depth of a tree (max_depth)")
    learning_rate: Annotated[float, Between(0.01, 0.2, log=True)] = Field(
        0.05, gt=0, description="shrinkage of each tree's contribution (learning_rate)"
    )
    row_share: Annotated[float, Between(0.4, 1)] = Field(
        0.8, gt=0, le=1, description="share of the rows sampled for each tree (subsample)"
    )
    column_share: Annotated[float, Between(0.1, 1, log=True)] = Field(
        0.5, gt=0, le=1, description="share of the features sampled for each tree (colsample_bytree)"
    )
    min_child_weight: Annotated[float, Between(1, 50, log=True)] = Field(
        1.0, ge=0, description="minimum sum of second derivatives in a leaf"
    )
    l2: Annotated[float, Between(0.1, 30, log=True)] = Field(
        1.0, ge=0, description="strength of the L2 penalty on leaf values (reg_lambda)"
    )
    seed: int = Field(1, description="seed for sampling rows and features")
    threshold: float = Field(
        0.5, ge=0, le=1, description="minimum probability for predicting a candidate relevant; classification only"
    )


@dataclass(frozen=True, eq=False)
class BoostedTreesModel(RankerModel):
    """The score is the probability of being relevant (classification) or the sum of the trees (other objectives).

    Attributes:
        trees: XGBoost's model, checked.
    """

    trees: XGBoostJson
    explains = True

    def feature_importances(self) -> tuple[FeatureImportance, ...]:
        """Shares of the total gain of the splits on each feature; a feature in no split has 0."""
        gains: dict[str, Any] = self._booster.get_score(importance_type="total_gain")
        total = sum(gains.values()) or 1.0
        return tuple(FeatureImportance(name, gains.get(name, 0.0) / total, 0) for name in self.description.features)

    def contributions(self, candidates: Candidates) -> NDArray[np.float64]:
        """Tree SHAP (Lundberg et al. 2020, From local explanations to global understanding), in log odds or sums."""
        booster = self._booster
        values = candidates.of(self.description.features)
        rows = import_xgboost().DMatrix(values, feature_names=booster.feature_names)
        contributions: NDArray[np.float64] = booster.predict(rows, pred_contribs=True)
        return contributions[:, :-1]  # the last column is the bias

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """XGBoost's predictions: probabilities, or sums of the trees' values."""
        predictions: NDArray[np.float32] = self._booster.inplace_predict(candidates.of(self.description.features))
        return predictions.astype(np.float64)

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

    @cached_property
    def _booster(self) -> Booster:
        # Spark already runs one task per core.
        return import_xgboost().Booster({"nthread": 1}, model_file=self.trees.data())


class BoostedTreesRanker(Ranker[BoostedTreesParameters]):
    """Trees by the histogram method; pairwise and listwise are LambdaMART (Burges 2010, MSR-TR-2010-82)."""

    name = "boosted_trees"
    about = "ranks candidates by gradient-boosted trees, fitted to candidates, pairs, whole lists or similarities"
    parameters_type = BoostedTreesParameters
    model_type = BoostedTreesModel

    @property
    def gives_probabilities(self) -> bool:
        """True for the classifier."""
        return self.parameters.objective == "classification"

    @property
    def gives_similarities(self) -> bool:
        """True for the regressor."""
        return self.parameters.objective == "regression"

    def fit(self, frame: DataFrame) -> BoostedTreesModel:
        """Fit like ``fit_scores``; unless scores are probabilities, choose the threshold on out-of-fold scores."""
        model = self.fit_scores(frame)
        return model if self.gives_probabilities else with_share_threshold(model, self, frame)

    def fit_scores(self, frame: DataFrame) -> BoostedTreesModel:
        """Learn ``relevant`` (classification), ``similarity`` (regression) or ``label`` (pairwise, listwise).

        The model depends on the number of workers, because each samples its own rows. For a given number, it does not
        depend on the partitioning.
        """
        target = _TARGETS.get(self.parameters.objective, "label")
        trained = train_in_tasks(frame, self._learning, self.parameters, target=target, dtype=np.float32)
        threshold = self.parameters.threshold if self.gives_probabilities else None
        description = self.describe(trained.features, threshold=threshold, training=trained.counts)
        return BoostedTreesModel(description, XGBoostJson.model_validate_json(trained.learned))

    def _learning(self, features: tuple[str, ...]) -> TreeLearning:
        parameters = {
            "objective": _OBJECTIVES[self.parameters.objective],
            "num_parallel_tree": self.parameters.parallel_trees,
            "max_depth": self.parameters.depth,
            "learning_rate": self.parameters.learning_rate,
            "subsample": self.parameters.row_share,
            "colsample_bytree": self.parameters.column_share,
            "min_child_weight": self.parameters.min_child_weight,
            "reg_lambda": self.parameters.l2,
            "seed": self.parameters.seed,
            "tree_method": "hist",
        }
        by_query = self.parameters.objective in ("pairwise", "listwise")
        return TreeLearning(parameters, self.parameters.trees, features, by_query)


@dataclass(frozen=True)
class TreeLearning:
    """Grows trees by the histogram method; the workers sum the histograms of a level before splitting its nodes.

    XGBoost converts the rows to a quantile matrix with one byte per value.

    Attributes:
        parameters: parameters of XGBoost.
        trees: number of trees.
        features: names of the features.
        by_query: whether the objective compares candidates within a query.
    """

    parameters: Mapping[str, Any]
    trees: int
    features: tuple[str, ...]
    by_query: bool

    def __call__(self, rows: TaskRows, group: TrainingGroup) -> str | None:
        """XGBoost's model as JSON, in worker 0; the same for any number of cores."""
        library = import_xgboost()
        threads = group.cores if rows.values.size >= _THREADED_FROM else 1
        # The number of each row's query: 0 for all rows of the first query, and so on.
        queries = np.repeat(np.arange(len(rows.query_starts)), np.diff(rows.query_starts, append=len(rows)))
        groups = {"qid": queries} if self.by_query else {}
        with library.config_context(verbosity=0):
            matrix = library.QuantileDMatrix(
                rows.values, rows.targets, feature_names=list(self.features), nthread=threads, **groups
            )
            booster = library.train({**self.parameters, "nthread": threads}, matrix, self.trees)
        return booster.save_raw("json").decode() if group.number == 0 else None
