"""Out-of-fold scores: each example is scored by a model trained on the other folds."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame

from cqa_spark.errors import InputError
from cqa_spark.features.folds import SEED, fold_of
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.spark.concurrency import run_concurrently


def out_of_fold(ranker: Ranker[Any], frame: DataFrame, *, folds: int, seed: int = SEED) -> DataFrame:
    """Score every training example with a model of the other folds (Wolpert 1992, Stacked generalization).

    Args:
        ranker: fitted once per fold.
        frame: training examples with features; read once per fold, so pass a stored or cached DataFrame.
        folds: number of folds, by thread.
        seed: changes which threads share a fold.

    Returns:
        The DataFrame with ``score``; ``predicted`` is meaningless. Scores of different folds come from different
        models.

    Raises:
        InputError: the examples of the other folds are not enough to learn from.
    """
    parts = [fold_of(folds, seed) == fold for fold in range(folds)]
    models = fit_outside(ranker, frame, parts)
    scored = [model.transform(frame.where(part)) for model, part in zip(models, parts, strict=True)]
    return reduce(DataFrame.unionByName, scored)


def fit_outside(ranker: Ranker[Any], frame: DataFrame, parts: Sequence[Column]) -> list[RankerModel]:
    """Fit a ranker on all training examples but those of a part, for each part.

    Args:
        ranker: fitted once per part, for its scores only.
        frame: training examples with features; read once per part.
        parts: conditions, each true for the examples of a part.

    Raises:
        InputError: the examples outside of a part are not enough to learn from.
    """

    def fit_on_others(part: Column) -> RankerModel:
        try:
            return ranker.fit_scores(frame.where(~part))
        except InputError as error:
            raise InputError(
                f"out-of-fold scores need examples of both classes outside of each of {len(parts)} folds: "
                f"{error.problem}",
                "train on more queries, of which several have relevant and irrelevant candidates, or with a system "
                "whose ranker needs no such scores, such as logistic_regression (cqa systems list)",
            ) from error

    return run_concurrently(fit_on_others, parts)
