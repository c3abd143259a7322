"""Similarity of all parts of two questions, by sentence embeddings."""

import numpy as np

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.similarity.embedding_similarity import (
    EmbeddingGroup,
    cosines,
    exact_vectors,
)
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.within_query import above_mean, ranks

_SOURCE = "Filice et al. 2016, KeLP at SemEval-2016 Task 3, subtask B: similarities of all parts of two questions"
_THREAD = "Filice et al. 2016, KeLP at SemEval-2016 Task 3, thread-level features for subtask B"


class QuestionSimilarityV1(EmbeddingGroup):
    """Cosines of both subjects, of the query and the candidate's subject, and of the query and the comments below it.

    A candidate without a subject, such as a comment, gets NaN.
    """

    name = "question_similarity_v1"
    family = "similarity"
    about = "similarity of the parts of two questions by sentence embeddings"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("subjects", "cosine of the query's subject and the candidate's", _SOURCE, 0.6),
        FeatureColumn("query_subject", "cosine of the query and the candidate's subject", _SOURCE, 0.6),
        FeatureColumn("highest", "highest cosine of the parts, whole questions and subjects", _SOURCE, 0.6),
        FeatureColumn("mean", "mean cosine of the parts, whole questions and subjects", _SOURCE, 0.6),
        FeatureColumn("mean_above_mean", "mean minus its mean over the query's candidates", "ours"),
        FeatureColumn("mean_place", "rank by mean among the query's candidates, from 1", "ours", 5.0),
        FeatureColumn("comment_most", "highest cosine of the query and a comment below the candidate", _THREAD, 0.6),
        FeatureColumn("comment_mean", "mean cosine of the query and the comments below the candidate", _THREAD, 0.6),
        FeatureColumn("comment_first", "cosine of the query and the first comment below the candidate", _THREAD, 0.6),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the parts of each pair."""
        vectors = exact_vectors(batch)
        sides = ((batch.query_text, batch.subject_text), (batch.candidate_text, batch.candidate_subject_text))
        parts = np.stack([cosines(vectors, first, second) for first in sides[0] for second in sides[1]])
        mean = parts.mean(axis=0)
        return {
            "subjects": parts[3],
            "query_subject": parts[1],
            "highest": parts.max(axis=0),
            "mean": mean,
            "mean_above_mean": above_mean(mean, batch.query),
            "mean_place": ranks(mean, batch.query),
            **_below(batch, vectors),
        }


def _below(batch: QueryBatch, vectors: Reals) -> dict[str, Reals]:
    """Cosines with the comments below each candidate; NaN where there are none."""
    values = {name: np.full(len(batch), np.nan) for name in ("comment_most", "comment_mean", "comment_first")}
    candidates = zip(batch.question.tolist(), batch.column("candidate_id"), strict=True)
    for example, key in enumerate(candidates):
        if (thread := batch.thread_comments.by_post.get(key)) is not None:
            texts = batch.thread_comments.text[thread]
            to_comments = cosines(vectors, np.full(len(texts), batch.query_text[example]), texts)
            values["comment_most"][example] = to_comments.max()
            values["comment_mean"][example] = to_comments.mean()
            values["comment_first"][example] = to_comments[0]
    return values
