"""The best and the worst queries, with their text and their ranked candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.reports.collect.scope import Scope
from cqa_spark.reports.content.stories import QueryStory, RankedCandidate
from cqa_spark.text.markup.bodies import is_html
from cqa_spark.text.markup.body import parse_body

QUERY_CHARACTERS = 1500
CANDIDATE_CHARACTERS = 700
CANDIDATES = 10
"""Candidates shown of each query, the first of the ranking."""

_QUERY = ["site", "query_id"]


class _Text(NamedTuple):
    """Title and text of a post or comment; what is not known is empty."""

    subject: str = ""
    body: str = ""

    @property
    def whole(self) -> str:
        """Both, a line each."""
        return "\n".join(part for part in self if part)


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
    queries = [(row.site, row.query_id) for row, _ in chosen]
    candidates = _candidates(scope, _ids_frame(scope, "query_id", queries))
    ranked = [(row.site, row.candidate_id) for rows in candidates.values() for row in rows]
    texts = _texts(scope, sorted({*queries, *ranked}))
    return tuple(_story(kind, row, texts, candidates.get((row.site, row.query_id), [])) for row, kind in chosen)


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


def _ids_frame(scope: Scope, name: str, ids: Sequence[tuple[str, str]]) -> DataFrame:
    schema = T.StructType([T.StructField(column, T.StringType(), False) for column in ("site", name)])
    return F.broadcast(scope.rankings().sparkSession.createDataFrame(ids, schema))


def _candidates(scope: Scope, keys: DataFrame) -> dict[tuple[str, str], list[Row]]:
    """The first candidates of the chosen queries, in ranked order."""
    shown = scope.rankings().where((F.col("system") == scope.best_system) & (F.col("rank") <= CANDIDATES))
    shown = shown.join(keys, on=_QUERY, how="left_semi")
    shown = _with_judgment(scope, shown.select(*_QUERY, "candidate_id", "rank", "score", "predicted"))
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


def _texts(scope: Scope, ids: Sequence[tuple[str, str]]) -> dict[tuple[str, str], _Text]:
    """Texts of posts and comments by site and id, as far as the tables have them."""
    found: dict[tuple[str, str], _Text] = {}
    documents, texts, posts = (scope.tables.get(name) for name in ("documents", "texts", "posts"))
    if documents is not None and texts is not None:
        known = documents.join(_ids_frame(scope, "document_id", ids), on=["site", "document_id"])
        said = texts.select("text_id", "raw").join(F.broadcast(known), on="text_id")
        found |= {(row.site, row.document_id): _Text("", row.raw) for row in said.collect()}
    if posts is not None:
        written = posts.join(_ids_frame(scope, "post_id", ids), on=["site", "post_id"])
        rows = written.select("site", "post_id", "subject", "body", is_html().alias("is_html")).collect()
        found |= {(row.site, row.post_id): _Text(row.subject or "", _prose(row)) for row in rows}
    return found


def _prose(post: Row) -> str:
    """The text of a post; of an HTML body, without code and quotes."""
    body: str = post.body or ""
    return parse_body(body).prose if post.is_html else body


def _begun(text: str, characters: int) -> str:
    """The beginning of a text; a longer one ends in an ellipsis."""
    return text if len(text) <= characters else f"{text[:characters]}…"


def _story(kind: str, row: Row, texts: Mapping[tuple[str, str], _Text], candidates: Sequence[Row]) -> QueryStory:
    asked, values = texts.get((row.site, row.query_id), _Text()), row.asDict()
    return QueryStory(
        kind=kind,
        site=row.site,
        query_id=row.query_id,
        subject=asked.subject,
        text=_begun(asked.body, QUERY_CHARACTERS),
        value=values.get("value"),
        baseline_value=values.get("baseline_value"),
        candidates=tuple(
            RankedCandidate(
                c.candidate_id, c["rank"], c.initial_rank, c.score, c.predicted, c.relevant,
                _begun(texts.get((row.site, c.candidate_id), _Text()).whole, CANDIDATE_CHARACTERS),
            )
            for c in candidates
        ),
    )  # fmt: skip
