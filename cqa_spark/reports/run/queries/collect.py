"""Collects the best and the worst queries, with their text and ranked candidates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.reports.run.measured import QUERY, MeasuredQueries
from cqa_spark.reports.run.queries.choice import ChosenQuery, choose_queries
from cqa_spark.reports.run.queries.content import QueryStory, RankedCandidate
from cqa_spark.reports.run.queries.texts import Key, PostText, any_of, collect_texts
from cqa_spark.reports.scope import Scope

QUERY_CHARACTERS = 1500
CANDIDATE_CHARACTERS = 700
CANDIDATES = 10
"""Number of top-ranked candidates shown for each query."""

PAIR = (*QUERY, "candidate_id")

Candidate = dict[str, Any]
"""A ranked candidate, by column; columns without a value are left out."""


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
    queries = [(each.site, each.query_id) for each in chosen]
    candidates = _candidates(scope, any_of("query_id", queries))
    ranked = [(row["site"], row["candidate_id"]) for rows in candidates.values() for row in rows]
    texts = collect_texts(scope, sorted({*queries, *ranked}))
    return tuple(_story(each, texts, candidates.get((each.site, each.query_id), [])) for each in chosen)


def _candidates(scope: Scope, is_chosen: Column) -> dict[Key, list[Candidate]]:
    """The top candidates of the chosen queries, in ranked order, each with its judgment."""
    is_shown = (F.col("system") == scope.best_system) & (F.col("rank") <= CANDIDATES)
    ranked = scope.rankings().where(is_shown & is_chosen)
    rows = ranked.select(*PAIR, "rank", "score", "predicted")
    examples = scope.table("examples")
    if examples is not None:
        judged = examples.where(is_chosen).select(*PAIR, "initial_rank", "relevant")
        rows = rows.unionByName(judged, allowMissingColumns=True)  # paired here: a join would take another job
    by_pair: dict[tuple[str, ...], Candidate] = defaultdict(dict)
    for row in rows.collect():
        known = {name: value for name, value in row.asDict().items() if value is not None}
        by_pair[tuple(row[name] for name in PAIR)].update(known)
    found: dict[Key, list[Candidate]] = defaultdict(list)
    for each in sorted((each for each in by_pair.values() if "rank" in each), key=lambda each: each["rank"]):
        found[each["site"], each["query_id"]].append(each)
    return found


def _truncated(text: str, characters: int) -> str:
    """A text, truncated with an ellipsis."""
    return text if len(text) <= characters else f"{text[:characters]}…"


def _story(query: ChosenQuery, texts: Mapping[Key, PostText], candidates: Sequence[Candidate]) -> QueryStory:
    asked = texts.get((query.site, query.query_id), PostText())
    return QueryStory(
        kind=query.kind,
        site=query.site,
        query_id=query.query_id,
        subject=asked.subject,
        text=_truncated(asked.body, QUERY_CHARACTERS),
        value=query.value,
        baseline_value=query.baseline_value,
        candidates=tuple(
            RankedCandidate(
                each["candidate_id"], each["rank"], each.get("initial_rank"), each["score"], each["predicted"],
                each.get("relevant"),
                _truncated(texts.get((query.site, each["candidate_id"]), PostText()).whole, CANDIDATE_CHARACTERS),
            )
            for each in candidates
        ),
    )  # fmt: skip
