"""Ranks of the candidate and its thread by the forum or the search engine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch

_SEARCH = "Nakov et al. 2016, SemEval-2016 Task 3, section 5: the search engine's order as a feature"


@dataclass(frozen=True)
class _Ranks:
    """The ranks of each candidate.

    Attributes:
        given: the initial rank, which may have gaps.
        place: rank among the query's candidates, from 1.
        thread: rank of the candidate's thread among the query's threads, from 1.
        thread_given: the best initial rank of a candidate of the thread.
        in_thread: rank among the candidates of its thread, from 1.
    """

    given: Reals
    place: Reals
    thread: Reals
    thread_given: Reals
    in_thread: Reals


_FEATURES: Mapping[FeatureColumn, Callable[[_Ranks], Reals]] = {
    FeatureColumn("log_given", "ln of the initial rank, which may have gaps", _SEARCH): lambda at: np.log(at.given),
    FeatureColumn("place", "rank among the query's candidates, from 1", _SEARCH): lambda at: at.place,
    FeatureColumn("reciprocal", "1 / place", _SEARCH): lambda at: 1 / at.place,
    FeatureColumn("log_place", "ln(place)", _SEARCH): lambda at: np.log(at.place),
    FeatureColumn("thread_place", "rank of the candidate's thread among the query's threads, from 1", _SEARCH): (
        lambda at: at.thread
    ),
    FeatureColumn("thread_reciprocal", "1 / thread_place", _SEARCH): lambda at: 1 / at.thread,
    FeatureColumn("log_thread_given", "ln of the best initial rank of a candidate of the thread", _SEARCH): (
        lambda at: np.log(at.thread_given)
    ),
    FeatureColumn("place_in_thread", "rank among the candidates of its thread, from 1", _SEARCH): (
        lambda at: at.in_thread
    ),
    FeatureColumn("reciprocal_in_thread", "1 / place_in_thread", _SEARCH): lambda at: 1 / at.in_thread,
}
"""Each column with the function that computes it from the ranks."""


class SearchRankV1(QueryGroup):
    """The initial rank in several forms; for comments of retrieved threads, also the rank of the thread."""

    name = "search_rank_v1"
    family = "rank"
    about = "ranks of the candidate and its thread by the forum or the search engine"
    entity = Entity.PAIR
    columns = tuple(_FEATURES)
    reads_texts = False

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair."""
        at = _ranks(batch)
        return {column.name: value(at) for column, value in _FEATURES.items()}


def _ranks(batch: QueryBatch) -> _Ranks:
    ranks, candidates, threads = (batch.column(name) for name in ("initial_rank", "candidate_id", "thread_id"))
    at = _Ranks(*(np.zeros(len(batch)) for _ in range(5)))
    at.given[:] = ranks
    by_query: dict[int, list[int]] = {}
    for example, query in enumerate(batch.query.tolist()):
        by_query.setdefault(query, []).append(example)
    for examples in by_query.values():
        in_order = sorted(examples, key=lambda example: (ranks[example], candidates[example]))
        of_thread: dict[str, list[int]] = {}
        for place, example in enumerate(in_order, start=1):
            at.place[example] = place
            of_thread.setdefault(threads[example], []).append(example)
        best_first = sorted(of_thread.items(), key=lambda each: (ranks[each[1][0]], each[0]))
        for place, (_, members) in enumerate(best_first, start=1):
            at.thread[members] = place
            at.thread_given[members] = ranks[members[0]]
            at.in_thread[members] = range(1, len(members) + 1)
    return at
