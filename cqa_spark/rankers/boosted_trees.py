"""Gradient-boosted trees, by XGBoost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pyspark.sql import DataFrame

from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.model import FeatureImportance, ModelDescription, RankerModel
from cqa_spark.rankers.out_of_fold import with_share_threshold
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.training import TaskRows, TrainingGroup, TrainingParameters, import_xgboost, train_in_tasks
from cqa_spark.rankers.tuning_ranges import Between

if TYPE_CHECKING:
    from xgboost import Booster


# Validates models in XGBoost's JSON format before XGBoost loads them.
#
# XGBoost does not validate its input: some damaged files crash the process, and an invalid child index reads
# arbitrary memory. The fields are those that numerical features use in
# https://xgboost.readthedocs.io/en/release_3.2.0/tutorials/saving_model.html.

_NO_NODE, _NO_PARENT = -1, 2**31 - 1

_Number = Annotated[str, Field(pattern=r"^[0-9]{1,10}$")]
_None = Annotated[list[Any], Field(max_length=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _TreeParameters(_Part):
    num_deleted: _Number
    num_feature: _Number
    num_nodes: _Number
    size_leaf_vector: Literal["0", "1"]


class _Tree(_Part):
    id: int
    left_children: list[int] = Field(min_length=1)
    right_children: list[int]
    parents: list[int]
    split_indices: list[int]
    split_conditions: list[float]
    split_type: list[Literal[0]]
    default_left: list[Literal[0, 1]]
    base_weights: list[float]
    loss_changes: list[float]
    sum_hessian: list[float]
    categories: _None
    categories_nodes: _None
    categories_segments: _None
    categories_sizes: _None
    tree_param: _TreeParameters

    def check(self, features: int, depth: int) -> None:
        """Check that the nodes form a tree: every path from the root visits later nodes only, and ends at a leaf.

        Raises:
            ValueError: they do not, or the tree is too deep.
        """
        nodes = len(self.left_children)
        lengths = {len(each) for name, each in self if isinstance(each, list) and not name.startswith("categories")}
        if lengths != {nodes} or int(self.tree_param.num_nodes) != nodes:
            raise ValueError(f"tree {self.id} has arrays of different lengths")
        if int(self.tree_param.num_feature) != features:
            raise ValueError(f"tree {self.id} is for {self.tree_param.num_feature} features, not {features}")
        if self.parents[0] != _NO_PARENT:
            raise ValueError(f"tree {self.id} does not start with its root")
        levels = [0] * nodes
        for node, children in enumerate(zip(self.left_children, self.right_children, strict=True)):
            if children == (_NO_NODE, _NO_NODE):
                continue
            if not all(node < child < nodes and self.parents[child] == node for child in children):
                raise ValueError(f"node {node} of tree {self.id} has children that are not later nodes of the tree")
            if not 0 <= self.split_indices[node] < features:
                raise ValueError(f"node {node} of tree {self.id} uses a feature that the model does not have")
            for child in children:
                levels[child] = levels[node] + 1
        if max(levels) > depth:
            raise ValueError(f"tree {self.id} is deeper than {depth}")


class _ForestParameters(_Part):
    num_parallel_tree: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,9}$")]
    num_trees: _Number


class _Categories(_Part):
    enc: _None
    feature_segments: _None
    sorted_idx: _None


class _Forest(_Part):
    cats: _Categories
    gbtree_model_param: _ForestParameters
    iteration_indptr: list[int]
    tree_info: list[Literal[0]]
    trees: list[_Tree]

    @model_validator(mode="after")
    def _count_trees(self) -> _Forest:
        trees = len(self.trees)
        of_round = int(self.gbtree_model_param.num_parallel_tree)
        if self.iteration_indptr != list(range(0, trees + 1, of_round)) or len(self.tree_info) != trees:
            raise ValueError(f"the rounds do not have as many trees as stated, {of_round}")
        if int(self.gbtree_model_param.num_trees) != trees or [tree.id for tree in self.trees] != list(range(trees)):
            raise ValueError("the trees are not as many as stated, or not in order")
        return self


class _Booster(_Part):
    name: Literal["gbtree"]
    model: _Forest


class _LearnerParameters(_Part):
    base_score: Annotated[str, Field(pattern=r"^\[?[-+]?[0-9][-+0-9.eE]{0,40}\]?$")]
    boost_from_average: Literal["0", "1"]
    num_class: Literal["0"]
    num_feature: _Number
    num_target: Literal["1"]


class _Objective(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    __pydantic_extra__: dict[str, dict[str, str]]

    name: Literal["binary:logistic", "rank:pairwise", "rank:ndcg", "reg:squarederror"]


class _Learner(_Part):
    attributes: dict[str, str]
    feature_names: list[str]
    feature_types: list[Literal["float"]]
    gradient_booster: _Booster
    learner_model_param: _LearnerParameters
    objective: _Objective


class XGBoostJson(_Part):
    """A model of numerical features with one score.

    Attributes:
        learner: the trees, the base score, and the names of the features.
        version: version of XGBoost.
    """

    learner: _Learner
    version: tuple[int, int, int]

    def check(self, features: tuple[str, ...], depth: int) -> None:
        """Check that the model has these features.

        Args:
            features: names of the features, in order.
            depth: maximum depth of a tree.

        Raises:
            ValueError: the model is invalid or has other features.
        """
        if tuple(self.learner.feature_names) != features:
            raise ValueError("its features are not those of the model")
        if int(self.learner.learner_model_param.num_feature) != len(features):
            raise ValueError("it is for another number of features")
        if len(self.learner.feature_types) not in (0, len(features)):
            raise ValueError("its features do not have a type each")
        for tree in self.learner.gradient_booster.model.trees:
            tree.check(len(features), depth)

    def data(self) -> bytearray:
        """The bytes for XGBoost, with validated content only."""
        return bytearray(self.model_dump_json().encode())


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
        """XGBoost's model as JSON, in worker 0."""
        library = import_xgboost()
        queries = np.repeat(np.arange(len(rows.query_starts)), np.diff(rows.query_starts, append=len(rows)))
        compared = {"qid": queries} if self.by_query else {}
        with library.config_context(verbosity=0):
            matrix = library.QuantileDMatrix(
                rows.values, rows.targets, feature_names=list(self.features), nthread=1, **compared
            )
            booster = library.train(dict(self.parameters), matrix, self.trees)
        return booster.save_raw("json").decode() if group.number == 0 else None


_TREES = "trees.json"
_OBJECTIVES = {
    "classification": "binary:logistic",
    "pairwise": "rank:pairwise",
    "listwise": "rank:ndcg",
    "regression": "reg:squarederror",
}
_TARGETS = {"classification": "relevant", "regression": "similarity"}


class BoostedTreesParameters(TrainingParameters):
    """Parameters of the ranker; names in parentheses are those of XGBoost."""

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
    """The score is the probability of being relevant (classification) or the trees' sum (all others).

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
        found: NDArray[np.float64] = booster.predict(rows, pred_contribs=True)
        return found[:, :-1]  # the last column is the bias

    def score(self, candidates: Candidates) -> NDArray[np.float64]:
        """XGBoost's predictions: probabilities, or sums of the trees' values."""
        found: NDArray[np.float64] = self._booster.inplace_predict(candidates.of(self.description.features))
        return found.astype(np.float64)

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
        """Learn ``relevant`` (classification), ``similarity`` (regression) or ``label`` (all others) from the features.

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
            "nthread": 1,  # Spark already runs one task per core
        }
        by_query = self.parameters.objective in ("pairwise", "listwise")
        return TreeLearning(parameters, self.parameters.trees, features, by_query)
