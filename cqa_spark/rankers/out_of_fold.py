"""Out-of-fold scores, and the thresholds that are chosen on them.

Each example is scored by a model trained on the other folds, because a model separates its own training examples too
well. Three rules choose the score from which candidates are predicted relevant: ``best_threshold`` and
``best_truncation`` maximise a measure, ``share_threshold`` predicts as many candidates as are relevant.
"""

import sys
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

M = TypeVar("M", bound=RankerModel)

_FOLDS = 3
"""Number of folds on whose scores a threshold is chosen."""


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
    """Fit a ranker once per part, on the training examples outside of it.

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


def best_threshold(scores: NDArray[np.float64], relevant: NDArray[np.bool_]) -> float:
    """Choose the threshold whose predictions have the highest mean of accuracy and F1; the highest of ties.

    Args:
        scores: out-of-fold scores of labelled examples, at least one; shape (examples,).
        relevant: whether each example is relevant; shape (examples,).
    """
    best_first = np.argsort(-scores, kind="stable")
    ordered = scores[best_first]
    # A cut is the index of the last example that is predicted; never between equal scores.
    cuts = np.flatnonzero(np.diff(ordered, append=-np.inf))
    predicted = cuts + 1
    hits = np.cumsum(relevant[best_first])[cuts]
    all_relevant = int(relevant.sum())
    accuracy = 1 - (predicted - hits + all_relevant - hits) / len(relevant)
    f1 = 2 * hits / (predicted + all_relevant)
    return float(ordered[cuts[np.argmax((accuracy + f1) / 2)]])


def best_truncation(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    queries: NDArray[np.int64],
    missed: NDArray[np.float64] | None = None,
) -> float:
    """Choose the threshold with the highest TMAP; the highest of ties. Rankings end where scores fall below it.

    An empty ranking is correct for a query without duplicates. The value of a ranking changes only at the scores of its
    candidates. TMAP at each threshold is therefore the cumulative sum of the changes of all rankings, from the highest
    score down.

    Args:
        scores: out-of-fold scores of examples; shape (examples,).
        relevant: whether each example is relevant; shape (examples,).
        queries: query of each example; shape (examples,).
        missed: number of relevant candidates of the example's query that are no examples, because retrieval missed
            them: they count in the measure; shape (examples,); None if there are none.

    Returns:
        A score, or a number above all scores if empty rankings are best.

    Source:
        Nakov et al. 2017, SemEval-2017 Task 3, section 3.2.2.
    """
    # All arrays below have the shape (examples,), ordered by query, and within a query by score, the highest first.
    order = np.lexsort((-scores, queries))
    score, hit, query = scores[order], relevant[order].astype(np.float64), queries[order]
    is_first = np.diff(query, prepend=~query[:1]) != 0
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=len(query))
    rank = np.arange(len(query)) - np.repeat(starts, sizes) + 1

    def running_sums(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cumulative sums that start anew with each query."""
        sums = np.cumsum(numbers)
        before_query = sums[starts] - numbers[starts]
        return np.asarray(sums - np.repeat(before_query, sizes))

    hits = running_sums(hit)
    precision = running_sums(hit * hits / rank)
    all_hits = np.repeat(np.add.reduceat(hit, starts), sizes)
    if missed is not None:
        all_hits = all_hits + missed[order]
    # The value of a query whose ranking ends after this example. The end of a ranking counts as one more candidate,
    # whose gain is the share of the relevant candidates that precede it.
    gain = np.where(all_hits == 0, 1.0, hits / np.maximum(all_hits, 1))
    value = (precision + gain * (hits + gain) / (rank + 1)) / (all_hits + 1)
    # The value when the ranking ends one example earlier; an empty one is worth 1 without relevant candidates, else 0.
    value_before = np.where(is_first, all_hits == 0, np.roll(value, 1))
    # From here on the examples of all queries are ordered by score.
    highest_first = np.argsort(-score, kind="stable")
    ordered = score[highest_first]
    cuts = np.flatnonzero(np.diff(ordered, append=-np.inf))  # never between equal scores
    gained = np.cumsum((value - value_before)[highest_first])[cuts]
    best = int(np.argmax(gained))
    return float(ordered[cuts[best]]) if gained[best] > 0 else sys.float_info.max


def with_share_threshold(model: M, ranker: Ranker[Any], frame: DataFrame) -> M:
    """Set the threshold at which the number of predicted training examples equals the number of relevant ones.

    Scores other than probabilities have no natural threshold.

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
