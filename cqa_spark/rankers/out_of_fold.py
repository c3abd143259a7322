"""Out-of-fold scores: each example is scored by a model trained on the other folds."""

from __future__ import annotations

from functools import reduce
from typing import Any

from pyspark.sql import DataFrame

from cqa_spark.features.folds import SEED, fold_of
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
    """
    held_out = [fold_of(folds, seed) == fold for fold in range(folds)]
    models = run_concurrently(ranker.fit_scores, [frame.where(~part) for part in held_out])
    scored = [model.transform(frame.where(part)) for model, part in zip(models, held_out, strict=True)]
    return reduce(DataFrame.unionByName, scored)
