"""Links to the candidate that were known when the query was asked."""

import numpy as np
import pyarrow.compute as pc

from cqa_spark.features.arrays import Reals, doubles, places_of, seconds
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.retrieval.search_result import reciprocal

_OURS = "ours: canonical questions are linked again and again"


class IncomingLinksV1(PostGroup):
    """Number of earlier posts that link to the candidate, and of questions closed as its duplicates."""

    name = "incoming_links_v1"
    family = "question"
    about = "links to the earlier question that were made before the query was asked"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("log_links", "ln(1 + links to the candidate)", _OURS),
        FeatureColumn("log_duplicates", "ln(1 + questions closed as its duplicates)", _OURS),
    )
    needs = ("post_links",)

    def compute(self, batch: QueryBatch) -> Values:
        """The values of each pair; links without a time are ignored."""
        links = batch.links
        example, link = batch.joined("candidate_id", links, "candidate_id")
        known = seconds(links["linked_at"])[link] < batch.times("asked_at")[example]
        is_duplicate = pc.cast(links["is_duplicate"], "int8").to_numpy().astype(bool)[link]
        counts = (np.bincount(example[known & kind], minlength=len(batch)) for kind in (~is_duplicate, is_duplicate))
        return dict(zip(("log_links", "log_duplicates"), map(np.log1p, counts), strict=True))


# Tags, age and askers of a pair of questions.

_HOOGEVEEN = "Hoogeveen et al. 2015, CQADupStack, section 3: what a question has beside its text"
_DAY = 86_400.0


class QuestionPairV1(PostGroup):
    """Shared tags, the time between the questions, and whether one person asked both."""

    name = "question_pair_v1"
    family = "question"
    about = "tags, age and askers of the query and an earlier question"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("shared_tags", "number of shared tags", _HOOGEVEEN),
        FeatureColumn("tag_overlap", "Jaccard similarity of the tags", _HOOGEVEEN),
        FeatureColumn("log_days", "ln(1 + days from the candidate to the query)", _HOOGEVEEN),
        FeatureColumn("same_asker", "1 if the same account asked both", _HOOGEVEEN),
    )
    post_columns = ("tags",)

    def compute(self, batch: QueryBatch) -> Values:
        """The values of each pair."""
        tags = [*(frozenset(each or ()) for each in batch.posts["tags"].to_pylist()), frozenset()]
        pairs = [(tags[one], tags[other]) for one, other in zip(batch.query_post, batch.candidate_post, strict=True)]
        shared = np.array([len(one & other) for one, other in pairs], dtype=np.float64)
        either = np.array([len(one | other) for one, other in pairs], dtype=np.float64)
        askers = zip(batch.column("asker_id"), batch.column("author_id"), strict=True)
        days = (batch.times("asked_at") - batch.times("answered_at")) / _DAY
        return {
            "shared_tags": shared,
            "tag_overlap": shared / np.maximum(either, 1),
            "log_days": np.log1p(np.maximum(days, 0)),
            "same_asker": np.array([one is not None and one == other for one, other in askers], dtype=np.float64),
        }


# Retrieval scores and ranks of a candidate.

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
