"""Pairs of questions: links to the earlier one, and the tags, age and askers of both."""

import numpy as np
import pyarrow.compute as pc

from cqa_spark.features.arrays import seconds
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.query_batch import QueryBatch

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
        # The last item, at ABSENT, is for posts that the corpus lacks.
        tags = [*(frozenset(of_post or ()) for of_post in batch.posts["tags"].to_pylist()), frozenset()]
        posts = zip(batch.query_post, batch.candidate_post, strict=True)
        pairs = [(tags[query], tags[candidate]) for query, candidate in posts]
        shared = np.array([len(query & candidate) for query, candidate in pairs], dtype=np.float64)
        either = np.array([len(query | candidate) for query, candidate in pairs], dtype=np.float64)
        askers = zip(batch.column("asker_id"), batch.column("author_id"), strict=True)
        days = (batch.times("asked_at") - batch.times("answered_at")) / _DAY
        return {
            "shared_tags": shared,
            "tag_overlap": shared / np.maximum(either, 1),
            "log_days": np.log1p(np.maximum(days, 0)),
            "same_asker": np.array(
                [asker is not None and asker == author for asker, author in askers], dtype=np.float64
            ),
        }
