"""Collects the best and the worst queries, with their text and ranked candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.reports.run.measured import QUERY, MeasuredQueries
from cqa_spark.reports.run.queries.choice import choose_queries
from cqa_spark.reports.run.queries.content import QueryStory, RankedCandidate
from cqa_spark.reports.run.queries.texts import Key, PostText, any_of, collect_texts
from cqa_spark.reports.scope import Scope

QUERY_CHARACTERS = 1500
CANDIDATE_CHARACTERS = 700
CANDIDATES = 10
"""Number of top-ranked candidates shown for each query."""


def collect_stories(scope: Scope, measured: MeasuredQueries | None, each: int) -> tuple[QueryStory, ...]:
    """The best and the worst queries of the best system.

    Args:
        scope: rows to report on.
        measured: the best and worst queries; None without measurements.
        each: number of queries of a sample, which is shown without measurements.
    """
    chosen = choose_queries(scope, measured, each)
    if not chosen:
        return ()
    queries = [(row.site, row.query_id) for row, _ in chosen]
    candidates = _candidates(scope, any_of("query_id", queries))
    ranked = [(row.site, row.candidate_id) for rows in candidates.values() for row in rows]
    texts = collect_texts(scope, sorted({*queries, *ranked}))
    return tuple(_story(kind, row, texts, candidates.get((row.site, row.query_id), [])) for row, kind in chosen)


def _candidates(scope: Scope, is_chosen: Column) -> dict[Key, list[Row]]:
    """The top candidates of the chosen queries, in ranked order."""
    is_shown = (F.col("system") == scope.best_system) & (F.col("rank") <= CANDIDATES)
    ranked = scope.rankings().where(is_shown & is_chosen)
    shown = _with_judgment(scope, ranked.select(*QUERY, "candidate_id", "rank", "score", "predicted"), is_chosen)
    found: dict[Key, list[Row]] = {}
    for row in sorted(shown.collect(), key=lambda row: row["rank"]):
        found.setdefault((row.site, row.query_id), []).append(row)
    return found


def _with_judgment(scope: Scope, shown: DataFrame, is_chosen: Column) -> DataFrame:
    examples = scope.table("examples")
    if examples is None:
        return shown.select(
            "*", F.lit(None).cast("int").alias("initial_rank"), F.lit(None).cast("boolean").alias("relevant")
        )
    judged = examples.where(is_chosen).select(*QUERY, "candidate_id", "initial_rank", "relevant")
    return shown.join(F.broadcast(judged), on=[*QUERY, "candidate_id"], how="left")


def _truncated(text: str, characters: int) -> str:
    """A text, truncated with an ellipsis."""
    return text if len(text) <= characters else f"{text[:characters]}…"


def _story(kind: str, row: Row, texts: Mapping[Key, PostText], candidates: Sequence[Row]) -> QueryStory:
    asked, values = texts.get((row.site, row.query_id), PostText()), row.asDict()
    return QueryStory(
        kind=kind,
        site=row.site,
        query_id=row.query_id,
        subject=asked.subject,
        text=_truncated(asked.body, QUERY_CHARACTERS),
        value=values.get("value"),
        baseline_value=values.get("baseline_value"),
        candidates=tuple(
            RankedCandidate(
                c.candidate_id, c["rank"], c.initial_rank, c.score, c.predicted, c.relevant,
                _truncated(texts.get((row.site, c.candidate_id), PostText()).whole, CANDIDATE_CHARACTERS),
            )
            for c in candidates
        ),
    )  # fmt: skip
