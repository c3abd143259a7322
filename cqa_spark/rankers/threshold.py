"""Chooses the score threshold for predicting relevance."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.ranker import Ranker

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
