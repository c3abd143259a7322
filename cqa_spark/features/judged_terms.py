"""Counts of relevant and irrelevant candidates that contain each term, for estimating polarities."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.features.training_data import Fitted, TrainingData

if TYPE_CHECKING:
    import pandas as pd

CANDIDATES = "candidates"
"""The unit that counts all candidates, under the empty term."""

RAREST = 3
"""Minimum number of candidates with a term."""

MOST_TERMS = 500_000
"""Only the most frequent terms are counted, which bounds the driver's memory: the counts of a term are one row for each
fold and section, and its polarity is in a model for each fold."""

_UNITS = ("tokens", "words", "bigrams", "stems")
_OF_SECTIONS = (CANDIDATES, "words")

Group = TypeVar("Group")


def judged_terms(training: TrainingData) -> pd.DataFrame:
    """Count the judged training candidates that contain each term, in one Spark job.

    Returns:
        ``unit`` (``CANDIDATES``, tokens, words, bigrams or stems), ``term``, ``section`` (of the forum, for candidates
        and words; None where unknown, and for the other units), ``fold``, ``good`` and ``bad`` (candidates that are
        relevant and that are not).
        Only terms in at least ``RAREST`` candidates are counted, and only the ``MOST_TERMS`` most frequent of them.
    """
    judged = training.judged.select("site", "candidate_id", "section", "fold", "relevant", "text_id").distinct()
    texts = judged.join(training.inputs.texts.select("text_id", *_UNITS), on="text_id")
    each_unit = [F.transform(F.array_distinct(unit), partial(_named, unit)) for unit in _UNITS]
    named = F.explode(F.concat(F.array(_named(CANDIDATES, F.lit(""))), *each_unit))
    terms = texts.select("section", "fold", "relevant", named.alias("named"))
    section = F.when(F.col("named.unit").isin(*_OF_SECTIONS), F.col("section")).alias("section")
    good, bad = F.count_if("relevant").alias("good"), F.count_if(~F.col("relevant")).alias("bad")
    counted = terms.groupBy("named.unit", "named.term", section, "fold").agg(good, bad)
    parts = F.collect_list(F.struct("section", "fold", "good", "bad")).alias("parts")
    together = counted.groupBy("unit", "term").agg(F.sum(F.col("good") + F.col("bad")).alias("holding"), parts)
    kept = together.where((F.col("holding") >= RAREST) | (F.col("unit") == CANDIDATES))
    frequent = kept.orderBy(F.desc("holding"), "unit", "term").limit(MOST_TERMS)
    return frequent.selectExpr("unit", "term", "inline(parts)").toPandas()


def fit_on_counts(training: TrainingData, learn: Callable[[pd.DataFrame], Group]) -> Fitted[Group]:
    """Fit on the counts of all folds, and on the complement of each fold.

    Args:
        training: the training part.
        learn: fits on rows of ``judged_terms``.
    """
    counts = training.derive(judged_terms)
    return Fitted.excluding(lambda fold: learn(counts[counts["fold"] != fold]), training.folds)


def _named(unit: str, term: Column) -> Column:
    return F.struct(F.lit(unit).alias("unit"), term.alias("term"))
