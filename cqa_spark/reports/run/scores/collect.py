"""Counts scores per bin in Spark, so that a bounded number of rows reaches the driver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.run.rankings import RankedSystem
from cqa_spark.reports.run.scores.content import Confusion, LengthScores, ScoreHistogram, ScoreStudy
from cqa_spark.reports.scope import Scope

BINS = 24
"""Number of bins of a histogram."""

_PAIR = ("site", "task", "query_id", "candidate_id")


def collect_scores(scope: Scope, ranked: Sequence[RankedSystem]) -> tuple[tuple[ScoreHistogram, ...], ScoreStudy]:
    """The score histograms of all systems, by relevance of the candidates, and the study of the best system.

    Args:
        scope: rows to report on.
        ranked: the systems, in the order of the histograms; the best system is one of them.
    """
    binned = _with_relevance(scope).withColumn("bin", _bin(ranked))
    counted = binned.groupBy("system", "bin", "relevant", "predicted").agg(F.count(F.lit(1)).alias("candidates"))
    rows = counted.collect()
    histograms = {each.system: _histogram(each, rows) for each in ranked}
    best = next(each for each in ranked if each.system == scope.best_system)
    histogram = histograms[best.system]
    study = ScoreStudy(
        histogram,
        None if best.has_one_label else _confusion(best.system, rows),
        _lengths(scope, binned, histogram),
    )
    return tuple(histograms.values()), study


def _histogram(ranked: RankedSystem, rows: Iterable[Row]) -> ScoreHistogram:
    counts: dict[bool | None, list[int]] = {relevant: [0] * BINS for relevant in (True, False, None)}
    for row in rows:
        if row.system == ranked.system:
            counts[row.relevant][row.bin] += row.candidates
    return ScoreHistogram(
        ranked.system, ranked.low, ranked.high, *(tuple(counts[each]) for each in (True, False, None))
    )


def _confusion(system: str, rows: Iterable[Row]) -> Confusion | None:
    """The judged candidates of a system by prediction and relevance; None without judgments."""
    counts = {(predicted, relevant): 0 for predicted in (True, False) for relevant in (True, False)}
    for row in rows:
        if row.system == system and row.relevant is not None:
            counts[row.predicted, row.relevant] += row.candidates
    found = Confusion(system, counts[True, True], counts[True, False], counts[False, True], counts[False, False])
    return found if any(counts.values()) else None


def _lengths(scope: Scope, binned: DataFrame, histogram: ScoreHistogram) -> tuple[LengthScores, ...]:
    """The scores of the best system by length of the candidates' texts; empty without texts or judgments."""
    documents, texts = scope.tables.get("documents"), scope.tables.get("texts")
    if documents is None or texts is None or not any(histogram.relevant):
        return ()
    judged = binned.where((F.col("system") == histogram.system) & F.col("relevant").isNotNull())
    candidates = documents.select("site", F.col("document_id").alias("candidate_id"), "text_id")
    doubled = F.floor(F.log2(F.greatest(F.length("raw"), F.lit(1)))).cast("int").alias("doubled")
    counted = (
        judged.join(candidates, on=["site", "candidate_id"], how="inner")
        .join(texts.select("text_id", doubled), on="text_id", how="inner")
        .groupBy("doubled", "bin", "relevant")
        .agg(F.count(F.lit(1)).alias("candidates"))
    )
    rows = counted.collect()
    return tuple(
        _length(1 << doubled, [row for row in rows if row.doubled == doubled], histogram.centres)
        for doubled in sorted({row.doubled for row in rows})
    )


def _length(low: int, rows: Sequence[Row], centres: Sequence[float]) -> LengthScores:
    relevant, not_relevant = ([row for row in rows if row.relevant is wanted] for wanted in (True, False))
    return LengthScores(low, *_mean(relevant, centres), *_mean(not_relevant, centres))


def _mean(rows: Sequence[Row], centres: Sequence[float]) -> tuple[int, float | None]:
    """The number of candidates, and their mean score; each has the score of its bin's centre."""
    total = sum(row.candidates for row in rows)
    return total, fsum(row.candidates * centres[row.bin] for row in rows) / total if total else None


def _bin(ranked: Sequence[RankedSystem]) -> Column:
    """The bin of a score between the lowest and the highest score of its system; 0 if these are equal."""
    low, high = (
        F.create_map(*[F.lit(value) for each in ranked for value in (each.system, getattr(each, end))])[F.col("system")]
        for end in ("low", "high")
    )
    share = (F.col("score") - low) / (high - low)
    return F.least(F.coalesce(F.floor(share * BINS), F.lit(0)), F.lit(BINS - 1)).cast("int")


def _with_relevance(scope: Scope) -> DataFrame:
    rankings = scope.rankings().select("system", *_PAIR, "score", "predicted")
    examples = scope.table("examples")
    if examples is None:
        return rankings.withColumn("relevant", F.lit(None).cast("boolean"))
    return rankings.join(examples.select(*_PAIR, "relevant"), on=list(_PAIR), how="left")
