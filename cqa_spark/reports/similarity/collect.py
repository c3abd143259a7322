"""Collects correlations by set, a sample of pairs, and the pairs that differ most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.corpora.text_pairs.set_names import set_of_pair
from cqa_spark.evaluation.set_means import MEAN, WEIGHTED_MEAN
from cqa_spark.lake.schemas.metrics import SET_METRICS
from cqa_spark.reports.kit.entries import from_entry
from cqa_spark.reports.scope import Scope
from cqa_spark.reports.similarity.content import Points, PublishedScore, SetCorrelation, Similarity, WorstPair
from cqa_spark.reports.similarity.published import official_mean, published_mean, published_results
from cqa_spark.spark.persistence import persisted

POINTS = 400
"""Most pairs of a set that are drawn."""

WORST = 12
"""Number of pairs shown that differ most."""

_SIDES = ("query_id", "candidate_id")
_PAIR = ("site", *_SIDES)


def collect_similarity(scope: Scope) -> Similarity | None:
    """Correlations of the systems; None for tasks that have no sets of pairs."""
    entries = scope.entries(SET_METRICS.name)
    if not entries:
        return None
    correlations = tuple(from_entry(SetCorrelation, entry) for entry in entries)
    sets = tuple(sorted({each.set_name for each in correlations} - {WEIGHTED_MEAN, MEAN}))
    means = tuple(name for name in (WEIGHTED_MEAN, MEAN) if any(each.set_name == name for each in correlations))
    headline = official_mean(sets) if means else sets[0]
    leading = {each.system: each.value for each in correlations if each.set_name == headline}
    of_best = _pairs(scope)
    if of_best is None:
        return None
    with persisted(of_best) as (pairs,):
        return Similarity(
            systems=tuple(sorted(leading, key=lambda system: (-leading[system], system))),
            sets=(*sets, *means),
            correlations=correlations,
            published=tuple(_published(correlations, sets)),
            points=_points(pairs),
            worst=_worst(scope, pairs),
        )


def _published(correlations: Sequence[SetCorrelation], sets: Sequence[str]) -> Iterator[PublishedScore]:
    """The published results on the sets, and the official mean over them."""
    for name in sets:
        if (known := published_results(name)) is not None:
            yield PublishedScore(name, known[0].system, known[1], known[0].source)
    pairs = {each.set_name: each.queries for each in correlations if each.set_name in sets}
    if len(sets) > 1 and (known := published_mean(pairs)) is not None:
        results, value = known
        yield PublishedScore(results.official, results.mean_system or results.system, value, results.source)


def _pairs(scope: Scope) -> DataFrame | None:
    """The pairs of the best system, with scores brought to the mean and deviation of the gold similarities."""
    examples = scope.table("examples")
    if examples is None:
        return None
    gold = examples.where("similarity is not null").select(*_PAIR, "similarity")
    scored = scope.rankings().where(F.col("system") == scope.best_system)
    pairs = gold.join(scored.select(*_PAIR, "score"), on=[*_PAIR])
    of_all = Window.partitionBy("site")
    scale = F.stddev_pop("similarity").over(of_all) / F.stddev_pop("score").over(of_all)
    scaled = F.mean("similarity").over(of_all) + (F.col("score") - F.mean("score").over(of_all)) * scale
    return pairs.withColumns({"scaled": F.coalesce(scaled, "score"), "set_name": set_of_pair(F.col("query_id"))})


def _points(pairs: DataFrame) -> tuple[Points, ...]:
    drawn = Window.partitionBy("set_name").orderBy(F.xxhash64("query_id"), "query_id")
    sample = pairs.withColumn("place", F.row_number().over(drawn)).where(F.col("place") <= POINTS)
    by_set = defaultdict(list)
    for row in sample.orderBy("set_name", "place").select("set_name", "similarity", "scaled").collect():
        by_set[row.set_name].append((row.similarity, row.scaled))
    return tuple(Points(name, *map(tuple, zip(*rows, strict=True))) for name, rows in by_set.items())


def _worst(scope: Scope, pairs: DataFrame) -> tuple[WorstPair, ...]:
    distance = F.abs(F.col("scaled") - F.col("similarity"))
    rows = pairs.orderBy(F.round(distance, 6).desc(), "query_id").limit(WORST).collect()
    sentences = _sentences(scope, [row[side] for row in rows for side in _SIDES])
    return tuple(
        WorstPair(
            row.set_name,
            row.similarity,
            row.scaled,
            *(sentences.get(row[side], "") for side in _SIDES),
        )
        for row in rows
    )


def _sentences(scope: Scope, ids: Sequence[str]) -> dict[str, str]:
    posts = scope.tables.get("posts")
    if posts is None or not ids:
        return {}
    rows = posts.where(F.col("post_id").isin(*ids)).select("post_id", "body").collect()
    return {row.post_id: row.body or "" for row in rows}
