"""The best and the worst queries, with their text and their ranked candidates."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.reports.collect.scope import Scope
from cqa_spark.reports.content.stories import QueryStory, RankedCandidate

QUERY_CHARACTERS = 1500
CANDIDATE_CHARACTERS = 700
CANDIDATES = 10
"""Candidates shown of each query, the first of the ranking."""

_QUERY = ["site", "query_id"]


def collect_stories(scope: Scope, each: int) -> tuple[QueryStory, ...]:
    """The best and the worst queries of the best system.

    The best are those with the highest value; among equals, where the baseline is lowest. The worst are those with
    the lowest value; among equals, where the baseline is highest. Queries without a relevant candidate are left
    out, since no ranking could serve them. Where nothing was measured, the first queries by id are shown.

    Args:
        scope: the rows to speak of.
        each: number of best and of worst queries.
    """
    measured = _measured(scope)
    if measured is None:
        first = scope.rankings().where(F.col("system") == scope.best_system).select(*_QUERY).distinct()
        chosen = [(row, "sample") for row in first.orderBy(*_QUERY).limit(each).collect()]
    else:
        chosen = _extremes(measured, each)
    if not chosen:
        return ()
    keys = _keys_frame(scope, [row for row, _ in chosen])
    candidates = _candidates(scope, keys)
    texts = _query_texts(scope, keys)
    return tuple(_story(kind, row, texts, candidates) for row, kind in chosen)


def _measured(scope: Scope) -> DataFrame | None:
    """Value and baseline value of every query that has a relevant candidate; None where nothing was measured."""
    values, examples = scope.table("query_metrics"), scope.table("examples")
    if values is None or examples is None or values.isEmpty():
        return None
    values = values.where(F.col("measure") == scope.main_measure)
    best = values.where(F.col("system") == scope.best_system).select(*_QUERY, "value")
    baseline = values.where(F.col("system") == F.lit(scope.baseline))
    answerable = examples.where("relevant").select(*_QUERY).distinct()
    joined = best.join(baseline.select(*_QUERY, F.col("value").alias("baseline_value")), on=_QUERY, how="left")
    return joined.join(answerable, on=_QUERY, how="left_semi")


def _extremes(measured: DataFrame, each: int) -> list[tuple[Row, str]]:
    best = measured.orderBy(F.desc("value"), F.asc("baseline_value"), *_QUERY).limit(each).collect()
    worst = measured.orderBy(F.asc("value"), F.desc("baseline_value"), *_QUERY).limit(each).collect()
    taken = {(row.site, row.query_id) for row in best}
    return [
        *((row, "best") for row in best),
        *((row, "worst") for row in worst if (row.site, row.query_id) not in taken),
    ]


def _keys_frame(scope: Scope, rows: list[Row]) -> DataFrame:
    schema = T.StructType([T.StructField(name, T.StringType(), False) for name in _QUERY])
    session = scope.rankings().sparkSession
    return F.broadcast(session.createDataFrame([(row.site, row.query_id) for row in rows], schema))


def _candidates(scope: Scope, keys: DataFrame) -> dict[tuple[str, str], list[Row]]:
    """The first candidates of the chosen queries, in ranked order."""
    shown = scope.rankings().where((F.col("system") == scope.best_system) & (F.col("rank") <= CANDIDATES))
    shown = shown.join(keys, on=_QUERY, how="left_semi")
    shown = _with_judgment(scope, shown.select(*_QUERY, "candidate_id", "rank", "score", "predicted"))
    shown = _with_text(scope, shown, "candidate_id", CANDIDATE_CHARACTERS)
    found: dict[tuple[str, str], list[Row]] = {}
    for row in shown.orderBy(*_QUERY, "rank").collect():
        found.setdefault((row.site, row.query_id), []).append(row)
    return found


def _with_judgment(scope: Scope, shown: DataFrame) -> DataFrame:
    examples = scope.table("examples")
    if examples is None:
        return shown.select(
            "*", F.lit(None).cast("int").alias("initial_rank"), F.lit(None).cast("boolean").alias("relevant")
        )
    judged = examples.select(*_QUERY, "candidate_id", "initial_rank", "relevant")
    return shown.join(judged, on=[*_QUERY, "candidate_id"], how="left")


def _with_text(scope: Scope, frame: DataFrame, id_column: str, characters: int) -> DataFrame:
    """Add ``text``: the beginning of the post's or comment's text, as in the dump."""
    documents, texts = scope.tables.get("documents"), scope.tables.get("texts")
    if documents is None or texts is None:
        return frame.withColumn("text", F.lit(""))
    known = documents.select("site", F.col("document_id").alias(id_column), "text_id")
    joined = frame.join(known, on=["site", id_column], how="left")
    joined = joined.join(texts.select("text_id", "raw"), on="text_id", how="left")
    return joined.withColumn("text", _begun("raw", characters)).drop("raw", "text_id")


def _begun(column: str, characters: int) -> Column:
    """The beginning of a text; a longer one ends in an ellipsis, an unknown one is empty."""
    text = F.coalesce(column, F.lit(""))
    return F.concat(F.substring(text, 1, characters), F.when(F.length(text) > characters, "…").otherwise(""))


def _query_texts(scope: Scope, keys: DataFrame) -> dict[tuple[str, str], Row]:
    """Subject and text of the chosen queries; without the table ``posts`` the text holds the subject too."""
    posts = scope.tables.get("posts")
    if posts is None:
        shown = _with_text(scope, keys, "query_id", QUERY_CHARACTERS).withColumn("subject", F.lit(""))
    else:
        written = posts.select("site", F.col("post_id").alias("query_id"), "subject", "body")
        shown = keys.join(written, on=_QUERY, how="left").withColumn("text", _begun("body", QUERY_CHARACTERS))
    return {(row.site, row.query_id): row for row in shown.collect()}


def _story(
    kind: str, row: Row, texts: dict[tuple[str, str], Row], candidates: dict[tuple[str, str], list[Row]]
) -> QueryStory:
    key = (row.site, row.query_id)
    values = row.asDict()
    return QueryStory(
        kind=kind,
        site=row.site,
        query_id=row.query_id,
        subject=texts[key].subject or "",
        text=texts[key].text,
        value=values.get("value"),
        baseline_value=values.get("baseline_value"),
        candidates=tuple(
            RankedCandidate(c.candidate_id, c["rank"], c.initial_rank, c.score, c.predicted, c.relevant, c.text)
            for c in candidates.get(key, [])
        ),
    )
