"""Ranks of the candidate and its thread by the forum or the search engine."""

import numpy as np

from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch

_SEARCH = "Nakov et al. 2016, SemEval-2016 Task 3, section 5: the search engine's order as a feature"


class SearchRankV1(QueryGroup):
    """The initial rank in several forms; for comments of retrieved threads, also the rank of the thread."""

    name = "search_rank_v1"
    family = "rank"
    about = "ranks of the candidate and its thread by the forum or the search engine"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("log_given", "ln of the initial rank, which may have gaps", _SEARCH),
        FeatureColumn("place", "rank among the query's candidates, from 1", _SEARCH),
        FeatureColumn("reciprocal", "1 / place", _SEARCH),
        FeatureColumn("log_place", "ln(place)", _SEARCH),
        FeatureColumn("thread_place", "rank of the candidate's thread among the query's threads, from 1", _SEARCH),
        FeatureColumn("thread_reciprocal", "1 / thread_place", _SEARCH),
        FeatureColumn("log_thread_given", "ln of the best initial rank of a candidate of the thread", _SEARCH),
        FeatureColumn("place_in_thread", "rank among the candidates of its thread, from 1", _SEARCH),
        FeatureColumn("reciprocal_in_thread", "1 / place_in_thread", _SEARCH),
    )
    reads_texts = False

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair."""
        given, candidates, threads = (batch.column(name) for name in ("initial_rank", "candidate_id", "thread_id"))
        place, thread_place, thread_given, in_thread = np.zeros((4, len(batch)))
        by_query: dict[int, list[int]] = {}
        for example, query in enumerate(batch.query.tolist()):
            by_query.setdefault(query, []).append(example)
        for examples in by_query.values():
            in_order = sorted(examples, key=lambda example: (given[example], candidates[example]))
            place[in_order] = range(1, len(in_order) + 1)
            of_thread: dict[str, list[int]] = {}
            for example in in_order:
                of_thread.setdefault(threads[example], []).append(example)
            best_first = sorted(of_thread, key=lambda thread: (given[of_thread[thread][0]], thread))
            for rank, members in enumerate(map(of_thread.__getitem__, best_first), start=1):
                thread_place[members] = rank
                thread_given[members] = given[members[0]]
                in_thread[members] = range(1, len(members) + 1)
        return {
            "log_given": np.log(np.array(given, dtype=np.float64)),
            "place": place,
            "reciprocal": 1 / place,
            "log_place": np.log(place),
            "thread_place": thread_place,
            "thread_reciprocal": 1 / thread_place,
            "log_thread_given": np.log(thread_given),
            "place_in_thread": in_thread,
            "reciprocal_in_thread": 1 / in_thread,
        }
