"""Models in XGBoost's JSON format, validated before XGBoost loads them.

XGBoost does not validate its input: some damaged files crash the process, and an invalid child index reads arbitrary
memory. The fields are those that numerical features use in
https://xgboost.readthedocs.io/en/release_3.2.0/tutorials/saving_model.html.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

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
        lengths = {len(array) for name, array in self if isinstance(array, list) and not name.startswith("categories")}
        if lengths != {nodes} or int(self.tree_param.num_nodes) != nodes:
            raise ValueError(f"tree {self.id} has arrays of different lengths")
        if int(self.tree_param.num_feature) != features:
            raise ValueError(f"tree {self.id} is for {self.tree_param.num_feature} features, not {features}")
        if self.parents[0] != _NO_PARENT:
            raise ValueError(f"tree {self.id} does not start with its root")
        levels = [0] * nodes  # depth of each node; children come later, so that one pass fills it
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
        trees_per_round = int(self.gbtree_model_param.num_parallel_tree)
        if self.iteration_indptr != list(range(0, trees + 1, trees_per_round)) or len(self.tree_info) != trees:
            raise ValueError(f"the rounds do not have as many trees as stated, {trees_per_round}")
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
