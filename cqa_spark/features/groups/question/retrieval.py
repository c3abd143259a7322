"""Retrieval scores and ranks of a candidate."""

import numpy as np

from cqa_spark.features.arrays import Reals, doubles, places_of
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.retrieval.search_result import reciprocal

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
        at = places_of(zip(batch.question.tolist(), batch.column("candidate_id"), strict=True), keys)
        values: dict[str, Reals] = {}
        for way in _WAYS:
            scores, ranks = (np.append(doubles(retrieved[name]), np.nan)[at] for name in (way, f"{way}_rank"))
            best, last = np.full(len(batch), np.nan), np.full(len(batch), np.nan)
            np.fmax.at(best, batch.query, scores)
            np.fmin.at(last, batch.query, scores)
            known = np.nan_to_num(np.where(np.isnan(scores), last[batch.query], scores))
            values[way] = known
            values[f"{way}_of_best"] = known / np.where(best > 0, best, 1)[batch.query]
            values[f"{way}_reciprocal_rank"] = np.nan_to_num(reciprocal(ranks))
            values[f"{way}_log_rank"] = np.log(np.nan_to_num(ranks, nan=1000.0))
        return values
