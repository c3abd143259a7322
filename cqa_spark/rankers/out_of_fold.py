"""Out-of-fold scores: each example is scored by a model trained on the other folds."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.features.training_data import SEED, fold_of
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.spark.frames import run_concurrently


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


# Chooses the score threshold for predicting relevance.

M = TypeVar("M", bound=RankerModel)

_FOLDS = 3


def best_threshold(scores: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float:
    """The threshold whose predictions have the highest mean of accuracy and F1; the highest of ties.

    Args:
        scores: out-of-fold scores of labelled examples, at least one; shape (examples,).
        relevant: whether each example is relevant; shape (examples,).
    """
    best_first = np.argsort(-scores, kind="stable")
    ordered = scores[best_first]
    cuts = np.flatnonzero(np.diff(ordered, append=-np.inf))  # never between equal scores
    hits, predicted = np.cumsum(relevant[best_first])[cuts], cuts + 1
    all_relevant = int(relevant.sum())
    accuracy = 1 - (predicted - hits + all_relevant - hits) / len(relevant)
    f1 = 2 * hits / (predicted + all_relevant)
    return float(ordered[cuts[np.argmax((accuracy + f1) / 2)]])


def with_share_threshold(model: M, ranker: Ranker[Any], frame: DataFrame) -> M:
    """Set the threshold at which the number of predicted training examples equals the number of relevant ones.

    Scores other than probabilities have no natural threshold. It is chosen on out-of-fold scores, because a model
    separates its own training examples too well.

    Args:
        model: the model fitted on all training examples.
        ranker: fitted again on each fold.
        frame: the training examples with features; unlabelled ones are ignored.
    """
    labelled = frame.where(F.col("relevant").isNotNull())
    scored = out_of_fold(ranker, labelled, folds=_FOLDS)
    relevant = labelled.where("relevant").count()
    description = model.description.model_copy(update={"threshold": share_threshold(scored, relevant)})
    return replace(model, description=description)


def share_threshold(scored: DataFrame, relevant: int) -> float:
    """The threshold at which the number of predicted examples equals the number of relevant ones.

    Args:
        scored: examples with ``score``.
        relevant: number of relevant examples, at least 1.

    Returns:
        The ``relevant``-th highest score, exactly.
    """
    highest = scored.select("score").orderBy(F.col("score").desc()).limit(relevant)
    lowest_of_them = highest.agg(F.min("score")).first()
    assert lowest_of_them is not None
    return float(lowest_of_them[0])
