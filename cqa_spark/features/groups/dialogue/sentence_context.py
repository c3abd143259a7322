"""Similarity of a comment to the other comments of its thread, by sentence embeddings."""

import numpy as np

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, values_at
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.dialogue.conversation import conversation
from cqa_spark.features.groups.similarity.embedding_similarity import EmbeddingGroup, cosines, exact_vectors, length
from cqa_spark.features.query_batch import QueryBatch

_SOURCE = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"


class SentenceContextV1(EmbeddingGroup):
    """Cosines of a comment with the comments before and after it, with their centroid, and with those of the asker.

    Candidates that are posts get NaN.
    """

    name = "sentence_context_v1"
    family = "dialogue"
    about = "similarity of the comment to the other comments of its thread by sentence embeddings"
    entity = Entity.CANDIDATE
    columns = (
        FeatureColumn("question", "cosine of the comment and its own thread's question", _SOURCE, 0.6),
        FeatureColumn("centroid", "cosine of the comment and the mean of the others", _SOURCE, 0.6),
        FeatureColumn("previous", "cosine of the comment and the one before", _SOURCE, 0.6),
        FeatureColumn("following", "cosine of the comment and the one after", _SOURCE, 0.6),
        FeatureColumn("earlier_most", "highest cosine with an earlier comment", _SOURCE, 0.6),
        FeatureColumn("later_most", "highest cosine with a later comment", _SOURCE, 0.6),
        FeatureColumn("asker_most", "highest cosine with a later comment of the asker", _SOURCE, 0.6),
    )

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the comments of each thread with each other."""
        vectors, comments = exact_vectors(batch), batch.thread_comments
        by_asker = batch.derive(conversation).by_asker
        of_comments = {column.name: np.full(len(comments), np.nan) for column in self.columns}
        of_comments["question"] = cosines(vectors, comments.text, comments.post_text)
        for thread in comments.threads:
            for name, values in _within_thread(vectors, comments.text[thread], by_asker[thread]).items():
                of_comments[name][thread] = values
        return {name: values_at(batch.comment, values) for name, values in of_comments.items()}


def _within_thread(vectors: Reals, text: Indices, by_asker: Mask) -> dict[str, Reals]:
    """The values of the comments of one thread, in order; NaN for comments without a text."""
    names = ("centroid", "previous", "following", "earlier_most", "later_most", "asker_most")
    values = {name: np.full(len(text), np.nan) for name in names}
    with_text = np.flatnonzero(text != ABSENT)
    if len(with_text) < 2:
        return values
    own = vectors[text[with_text]]
    # Cosines of all pairs of comments with a text, of shape (known, known).
    rows, columns = np.indices((len(with_text), len(with_text)))
    pairs = cosines(own, rows.ravel(), columns.ravel()).reshape(rows.shape)
    others = own.sum(axis=0) - own
    values["centroid"][with_text] = (pairs.sum(axis=1) - np.diagonal(pairs)) / np.maximum(length(others), 1e-12)
    values["previous"][with_text[1:]] = values["following"][with_text[:-1]] = np.diagonal(pairs, 1)
    for row, comment in enumerate(with_text.tolist()):
        later = pairs[row, row + 1 :]
        later_of_asker = later[by_asker[with_text[row + 1 :]]]
        values["earlier_most"][comment] = pairs[row, :row].max(initial=-np.inf) if row else np.nan
        values["later_most"][comment] = later.max() if later.size else np.nan
        values["asker_most"][comment] = later_of_asker.max() if later_of_asker.size else np.nan
    return values
