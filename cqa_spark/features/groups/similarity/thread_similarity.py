"""Similarity of the query to the comments in the thread of a candidate question."""

from collections.abc import Callable

import numpy as np

from cqa_spark.features.arrays import Indices, Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.similarity.term_similarity import TermMatch
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.features.query_batch import QueryBatch

_SOURCE = "Filice et al. 2016, KeLP at SemEval-2016 Task 3, thread-level features for subtask B"

_QUERY = TermMatch("query", "the query", "a comment")
_SUBJECT = TermMatch("subject", "the query's subject", "a comment")


def _mean(values: Reals, starts: Indices) -> Reals:
    return np.add.reduceat(values, starts) / np.diff(starts, append=len(values))


_OVER_THREAD: dict[str, tuple[str, Callable[[Reals, Indices], Reals]]] = {
    "max": ("highest over the comments below the candidate", np.maximum.reduceat),
    "mean": ("mean over the comments below the candidate", _mean),
    "first": ("of the first comment below the candidate", np.take),
}
"""Aggregations over the comments of a thread: description, and function of all values and the start of each thread."""

_FEATURES = (
    *[
        FeatureColumn(f"{measure.name}_{aggregate}", f"{measure.about}, {over}", _SOURCE)
        for match in (_QUERY, _SUBJECT)
        for measure in match.columns
        for aggregate, (over, _) in _OVER_THREAD.items()
    ],
    FeatureColumn("touched", "share of the comments that contain a stem of the query", "ours"),
    FeatureColumn("log_comments", "ln(1 + comments below the candidate)", "ours"),
)


class ThreadSimilarityV1(CollectionGroup):
    """Tf-idf cosine, idf-weighted containment and BM25 of every comment below the candidate, over the thread.

    A candidate without comments of its own, such as a comment, gets NaN.
    """

    name = "thread_similarity_v1"
    family = "similarity"
    about = "similarity of the query to the comments below the candidate question"
    entity = Entity.PAIR
    columns = _FEATURES

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the query with every comment, then aggregate per thread."""
        values = {column.name: np.full(len(batch), np.nan) for column in _FEATURES}
        candidates = zip(batch.question.tolist(), batch.column("candidate_id"), strict=True)
        threads = {example: batch.thread_comments.by_post.get(key) for example, key in enumerate(candidates)}
        below = {example: thread for example, thread in threads.items() if thread is not None}
        if not below:
            return values
        # All comments below all candidates: the thread of a candidate is a run from its start on.
        sizes = np.array([thread.stop - thread.start for thread in below.values()])
        starts = np.cumsum(sizes) - sizes
        comment_texts = np.concatenate([batch.thread_comments.text[thread] for thread in below.values()])
        with_comments = np.array(list(below))  # indices of the examples
        pairs, texts = np.repeat(with_comments, sizes), self.weighed(batch)
        measured = {
            **_QUERY.compare(texts, batch.query_text[pairs], comment_texts),
            **_SUBJECT.compare(texts, batch.subject_text[pairs], comment_texts),
        }
        for measure, similarities in measured.items():
            for aggregate, (_, over_thread) in _OVER_THREAD.items():
                values[f"{measure}_{aggregate}"][with_comments] = over_thread(similarities, starts)
        values["touched"][with_comments] = _mean((measured["query_covered"] > 0).astype(float), starts)
        values["log_comments"][with_comments] = np.log1p(sizes)
        return values
