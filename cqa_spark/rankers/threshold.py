"""From which score on a candidate is predicted relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeVar

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.out_of_fold import out_of_fold
from cqa_spark.rankers.ranker import Ranker

DecideBy = Literal["accuracy", "f1", "mean"]
M = TypeVar("M", bound=RankerModel)

_FOLDS = 3


def best_threshold(scored: DataFrame, decide_by: DecideBy) -> float:
    """The score that, as a threshold, predicts the examples best; the highest of several that are equally good.

    Args:
        scored: labelled examples with ``score`` and ``relevant``, scored by models that did not learn from them.
        decide_by: the measure of the prediction: accuracy, F1, or the mean of both.
    """
    best_first = Window.orderBy(F.col("score").desc())  # equal scores are cut together
    everything = Window.partitionBy()
    hit = F.col("relevant").cast("int")
    cuts = scored.where(F.col("relevant").isNotNull()).select(
        "score",
        F.sum(hit).over(best_first).alias("hits"),
        F.count("*").over(best_first).alias("predicted"),
        F.sum(hit).over(everything).alias("relevant"),
        F.count("*").over(everything).alias("all"),
    )
    best = cuts.orderBy(_value(decide_by).desc(), F.col("score").desc()).first()
    assert best is not None, "training refuses examples without labels"
    return float(best["score"])


def with_share_threshold(model: M, ranker: Ranker[Any], frame: DataFrame) -> M:
    """Set the threshold from which on as many training examples are predicted relevant as are relevant.

    Scores that are no probabilities have no natural threshold, so the training part has to set one: by scores of models
    that did not learn from the examples. A model's scores of its own training examples lie further apart.

    Args:
        model: what the ranker learned from all training examples.
        ranker: fitted once more per fold.
        frame: the training examples with features; those without a label are left out.
    """
    labelled = frame.where(F.col("relevant").isNotNull())
    scored = out_of_fold(ranker, labelled, folds=_FOLDS)
    relevant = labelled.where("relevant").count()
    description = model.description.model_copy(update={"threshold": share_threshold(scored, relevant)})
    return replace(model, description=description)


def share_threshold(scored: DataFrame, relevant: int) -> float:
    """The score from which on as many examples are predicted relevant as are relevant.

    Args:
        scored: examples with ``score``.
        relevant: how many of them are relevant, at least 1.

    Returns:
        The ``relevant``-th highest score, exactly.
    """
    highest = scored.select("score").orderBy(F.col("score").desc()).limit(relevant)
    lowest_of_them = highest.agg(F.min("score")).first()
    assert lowest_of_them is not None
    return float(lowest_of_them[0])


def _value(decide_by: DecideBy) -> Column:
    false_hits, missed = F.col("predicted") - F.col("hits"), F.col("relevant") - F.col("hits")
    accuracy = 1 - (false_hits + missed) / F.col("all")
    f1 = 2 * F.col("hits") / (F.col("predicted") + F.col("relevant"))
    return {"accuracy": accuracy, "f1": f1, "mean": (accuracy + f1) / 2}[decide_by]
