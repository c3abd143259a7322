"""Ranks of the candidate: by the forum or the search engine, and by each retrieval method."""

import numpy as np

from cqa_spark.features.arrays import Reals, doubles, indices_of
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.retrieval.search_result import reciprocal

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
        initial_rank, candidates, threads = (
            batch.column(name) for name in ("initial_rank", "candidate_id", "thread_id")
        )
        rank, thread_rank, thread_initial_rank, in_thread = np.zeros((4, len(batch)))
        by_query: dict[int, list[int]] = {}
        for example, query in enumerate(batch.query.tolist()):
            by_query.setdefault(query, []).append(example)
        for examples in by_query.values():
            in_order = sorted(examples, key=lambda example: (initial_rank[example], candidates[example]))
            rank[in_order] = range(1, len(in_order) + 1)
            of_thread: dict[str, list[int]] = {}
            for example in in_order:
                of_thread.setdefault(threads[example], []).append(example)
            best_first = sorted(of_thread, key=lambda thread: (initial_rank[of_thread[thread][0]], thread))
            for number, members in enumerate(map(of_thread.__getitem__, best_first), start=1):
                thread_rank[members] = number
                thread_initial_rank[members] = initial_rank[members[0]]
                in_thread[members] = range(1, len(members) + 1)
        return {
            "log_given": np.log(np.array(initial_rank, dtype=np.float64)),
            "place": rank,
            "reciprocal": 1 / rank,
            "log_place": np.log(rank),
            "thread_place": thread_rank,
            "thread_reciprocal": 1 / thread_rank,
            "log_thread_given": np.log(thread_initial_rank),
            "place_in_thread": in_thread,
            "reciprocal_in_thread": 1 / in_thread,
        }


_BM25 = "Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond"
_FUSION = "Cormack et al. 2009, Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
_WAYS = {"bm25": _BM25, "cosine": "Reimers and Gurevych 2019, Sentence-BERT"}


def _columns() -> tuple[FeatureColumn, ...]:
    return tuple(
        column
        for way, source in _WAYS.items()
        for column in (
            FeatureColumn(way, f"{way} of the candidate for the query; at most, if not retrieved by it", source),
            FeatureColumn(f"{way}_of_best", f"{way} divided by that of the query's best candidate", source),
            FeatureColumn(f"{way}_reciprocal_rank", f"1 / (60 + rank by {way}); 0 if not retrieved", _FUSION),
            FeatureColumn(f"{way}_log_rank", f"ln of the rank by {way}; ln 1000 if not retrieved", _FUSION),
        )
    )


class RetrievalV1(PostGroup):
    """Scores and ranks of BM25 and of the cosine of embeddings.

    A candidate that a method did not retrieve has the lowest score that the method retrieved for the query: its own is
    at most as high. A score of 0 would set it apart from the last retrieved one by far.
    """

    name = "retrieval_v1"
    family = "rank"
    about = "scores and ranks of the candidate by each retrieval method"
    entity = Entity.PAIR
    columns = _columns()
    needs = ("retrieved",)

    def compute(self, batch: QueryBatch) -> Values:
        """The values of each pair."""
        retrieved = batch.retrieved
        keys = zip(batch.question_of(retrieved).tolist(), retrieved["candidate_id"].to_pylist(), strict=True)
        # The row of each candidate; at ABSENT, the last item, scores and ranks are unknown.
        row = indices_of(zip(batch.question.tolist(), batch.column("candidate_id"), strict=True), keys)
        values: dict[str, Reals] = {}
        for way in _WAYS:
            scores, ranks = (np.append(doubles(retrieved[name]), np.nan)[row] for name in (way, f"{way}_rank"))
            best, last = np.full(len(batch), np.nan), np.full(len(batch), np.nan)
            np.fmax.at(best, batch.query, scores)
            np.fmin.at(last, batch.query, scores)
            known = np.nan_to_num(np.where(np.isnan(scores), last[batch.query], scores))
            values[way] = known
            values[f"{way}_of_best"] = known / np.where(best > 0, best, 1)[batch.query]
            values[f"{way}_reciprocal_rank"] = np.nan_to_num(reciprocal(ranks))
            values[f"{way}_log_rank"] = np.log(np.nan_to_num(ranks, nan=1000.0))
        return values
