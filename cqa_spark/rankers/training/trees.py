"""Trains boosted trees with XGBoost in the workers of a group."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cqa_spark.rankers.training.group import TrainingGroup
from cqa_spark.rankers.training.rows import TaskRows
from cqa_spark.rankers.xgboost_import import import_xgboost


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
