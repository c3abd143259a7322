"""Similarity of a comment to its neighbours, to the asker's comments and to the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals
from cqa_spark.features.group import Entity, FeatureColumn, Values
from cqa_spark.features.groups.dialogue.conversation import conversation
from cqa_spark.features.learned_group import CollectionGroup
from cqa_spark.features.query_batch import QueryBatch

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def apart(vectors: csr_matrix, threads: Indices) -> csr_matrix:
    """Place the vectors of each thread in dimensions of their own, so that turns of different threads are orthogonal.

    Args:
        vectors: one row of unit length per turn; zeros if a turn has no terms.
        threads: number of the thread of each turn.
    """
    from scipy.sparse import csr_matrix

    terms = vectors.shape[1]
    of_threads = np.repeat(threads, np.diff(vectors.indptr)) * terms + vectors.indices
    dimensions, columns = np.unique(of_threads, return_inverse=True)
    return csr_matrix((vectors.data, columns, vectors.indptr), shape=(len(threads), max(1, len(dimensions))))


def thread_cosines(vectors: csr_matrix, sizes: Iterable[int]) -> Iterator[Reals]:
    """The cosines between the turns of each thread.

    Cosines with a turn without terms are 0, including its cosine with itself.

    Args:
        vectors: the result of ``apart``, one thread after the other.
        sizes: number of turns of each thread.
    """
    cosines = (vectors @ vectors.T).tocsr()
    start = 0
    for size in sizes:
        ends = cosines.indptr[start : start + size + 1]
        rows, stored = np.repeat(np.arange(size), np.diff(ends)), slice(ends[0], ends[-1])
        similar = np.zeros((size, size))
        similar[rows, cosines.indices[stored] - start] = cosines.data[stored]
        yield similar
        start += size


def cosine_to_sum(similar: Reals, members: Mask) -> Reals:
    """The cosine of each turn to the sum of the unit vectors of the other members.

    It needs no vectors: for a sum S of members, the products c.S and S.S are sums of cosines.

    Args:
        similar: the cosine of each turn to each other.
        members: which turns are in the sum.

    Returns:
        One value per turn; 0 where no other member has terms.
    """
    itself = np.diagonal(similar) * members
    to_sum = similar[:, members].sum(axis=1)
    length = similar[np.ix_(members, members)].sum()
    others = np.sqrt(np.maximum(0.0, length - 2 * to_sum * members + itself))
    own = np.sqrt(np.diagonal(similar))
    product = np.maximum(0.0, to_sum - itself)
    with_terms = (own > 0) & members
    comparable = (with_terms.sum() - with_terms > 0) & (own > 0)
    return np.where(comparable, np.minimum(1.0, product / np.where(comparable, others * own, 1.0)), 0.0)


def new_shares(vectors: csr_matrix) -> Reals:
    """The share of each turn's terms that occur in no earlier turn of the thread; 0 for a turn without terms.

    Args:
        vectors: the result of ``apart``.
    """
    terms_of = np.diff(vectors.indptr)
    turns = np.repeat(np.arange(len(terms_of)), terms_of)
    _, first = np.unique(vectors.indices, return_index=True)
    return np.bincount(turns[first], minlength=len(terms_of)) / np.maximum(1, terms_of)


def relative_ranks(values: Reals) -> Reals:
    """The rank of each value, highest first, divided by the number of values; ties share the better rank.

    Values that differ only by rounding errors are ties.
    """
    rounded = np.round(values, 9)
    return (1 + np.sum(rounded > rounded[:, None], axis=1)) / max(1, len(values))


_BARRON = "Barrón-Cedeño et al. 2015, Thread-level information for comment classification in cQA"
_NICOSIA = "Nicosia et al. 2015, QCRI at SemEval-2015 Task 3"
_RADEV = "Radev et al. 2004, Centroid-based summarization of multiple documents"

_FEATURES = (
    FeatureColumn("previous_cosine", "cosine to the comment before", _NICOSIA),
    FeatureColumn("next_cosine", "cosine to the next comment", _NICOSIA),
    FeatureColumn("others_cosine", "cosine to the sum of the thread's other comments", _RADEV),
    FeatureColumn("closest_cosine", "highest cosine to another comment of the thread", _BARRON),
    FeatureColumn("closest_before_cosine", "highest cosine to an earlier comment: what it repeats", _BARRON),
    FeatureColumn("asker_cosine", "cosine to the sum of the asker's other comments", _NICOSIA),
    FeatureColumn("question_cosine", "cosine to the thread's question", _NICOSIA),
    FeatureColumn("new_share", "share of its terms that occur in neither question nor earlier comments", "ours"),
    FeatureColumn("others_rank", "rank by others_cosine, highest first, divided by comments", "ours", 1.0),
    FeatureColumn("question_rank", "rank by question_cosine, highest first, divided by comments", "ours", 1.0),
)


class NeighboursV1(CollectionGroup):
    """Tf-idf cosines of stems within the thread; 0 for comments without stems."""

    name = "neighbours_v1"
    family = "dialogue"
    about = "similarity of the comment to the rest of its thread, by tf-idf of stems"
    entity = Entity.CANDIDATE
    libraries = ("sklearn.preprocessing",)
    columns = _FEATURES

    def compute(self, batch: QueryBatch) -> Values:
        """Compare the comments of each thread; NaN if the candidate is not a comment or has no text."""
        from sklearn.preprocessing import normalize

        comments, by_asker = batch.thread_comments, batch.derive(conversation).by_asker
        values = {column.name: np.full(len(comments) + 1, np.nan) for column in _FEATURES}
        # Of each thread, the indices of its comments with a text; threads without any are left out.
        with_text = [thread.start + np.flatnonzero(comments.text[thread] != ABSENT) for thread in comments.threads]
        threads = [indices for indices in with_text if indices.size]
        if threads:
            # The first turn of a thread is the question; without a text it is a zero vector.
            texts = [np.append(comments.post_text[indices[0]], comments.text[indices]) for indices in threads]
            sizes = [len(turns) for turns in texts]
            turns = normalize(self.weighed(batch).tf_idf)[np.concatenate(texts)]
            vectors = apart(turns, np.repeat(np.arange(len(threads)), sizes))
            is_question = np.concatenate([np.arange(size) == 0 for size in sizes])
            values["new_share"][np.concatenate(threads)] = new_shares(vectors)[~is_question]
            for indices, similar in zip(threads, thread_cosines(vectors, sizes), strict=True):
                for name, of_thread in _compare(similar, by_asker[indices]).items():
                    values[name][indices] = of_thread
        return {name: of_comments[batch.comment] for name, of_comments in values.items()}


def _compare(similar: Reals, by_asker: Mask) -> dict[str, Reals]:
    """The values of each comment of a thread.

    Args:
        similar: cosines of the turns: the question, and the comments in order.
        by_asker: which comments the asker wrote.
    """
    to_question, comments = similar[1:, 0], similar[1:, 1:]
    to_others = cosine_to_sum(comments, np.full(len(comments), True))
    before, after = np.tril(comments, -1), np.triu(comments, 1)
    neighbours = np.diagonal(comments, 1)
    return {
        "previous_cosine": np.append(0.0, neighbours),
        "next_cosine": np.append(neighbours, 0.0),
        "others_cosine": to_others,
        "closest_cosine": np.maximum(before, after).max(axis=1),
        "closest_before_cosine": before.max(axis=1),
        "asker_cosine": cosine_to_sum(comments, by_asker),
        "question_cosine": to_question,
        "others_rank": relative_ranks(to_others),
        "question_rank": relative_ranks(to_question),
    }
