"""Dialogue structure of threads, as arrays over all comments of a batch."""

from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals
from cqa_spark.features.author_batch import starts_of_runs
from cqa_spark.features.query_batch import QueryBatch, Texts, ThreadComments

Item = TypeVar("Item", bound=np.generic)

_THANKS = frozenset(("thanks", "thank", "thanx", "thx", "thnx", "tnx", "thankyou", "appreciate", "appreciated"))
UNKNOWN_AUTHOR = -1
"""The number of an author or asker who is not one known person."""


class Conversation:
    """The comments of a batch as turns; every array has one item per comment, in the order of ``comments``.

    Args:
        comments: the comments; the comments below one post form a conversation.
        texts: their texts.
    """

    def __init__(self, comments: ThreadComments, texts: Texts) -> None:
        self.comments = comments
        self._texts = texts

    @cached_property
    def first(self) -> Indices:
        """The index of the first comment of the thread."""
        return self._of_thread([part.start for part in self.comments.threads])

    @cached_property
    def end(self) -> Indices:
        """One more than the index of the last comment of the thread."""
        return self._of_thread([part.stop for part in self.comments.threads])

    @cached_property
    def size(self) -> Indices:
        """Number of comments of the thread."""
        return self.end - self.first

    @cached_property
    def author(self) -> Indices:
        """Number of the author; ``UNKNOWN_AUTHOR`` if the author is not one known person."""
        return self._people[0]

    @cached_property
    def asker(self) -> Indices:
        """Number of the author of the commented post, or ``UNKNOWN_AUTHOR``."""
        return self._people[1]

    @cached_property
    def by_asker(self) -> Mask:
        """Whether the asker wrote it."""
        return same_person(self.author, self.asker)

    @cached_property
    def words(self) -> Reals:
        """Number of words."""
        return self._of_text(self._texts.derive(_words))

    @cached_property
    def asks(self) -> Mask:
        """Whether it has a question mark."""
        return self._of_text(self._texts.derive(_asks))

    @cached_property
    def thanks(self) -> Mask:
        """Whether it has a word of thanks."""
        return self._of_text(self._texts.derive(_thanks))

    @cached_property
    def thread_words(self) -> Reals:
        """Words of all comments of the thread."""
        return self._sums(self.words)

    @cached_property
    def length_rank(self) -> Indices:
        """Rank by number of words, longest first, from 1."""
        # The order of a thread's comments by length; the sort key of the thread comes last, so threads stay in order
        # and the k-th comment of the sorted thread is at its index: rank k.
        longest_first = np.lexsort((self._index, -self.words, self.first))
        rank = np.empty_like(self._index)
        rank[longest_first] = self._index - self.first + 1
        return rank

    @cached_property
    def author_turn(self) -> Indices:
        """Position among its author's comments in the thread, from 1; 0 if the author is unknown."""
        # The comments of an author in a thread become adjacent; each run of them is numbered from 1.
        by_author = np.lexsort((self._index, self.author, self.first))
        starts = starts_of_runs(self.first[by_author], self.author[by_author])
        turn = np.empty_like(self._index)
        turn[by_author] = self._index - starts + 1
        return np.where(self.author == UNKNOWN_AUTHOR, 0, turn)

    @cached_property
    def author_comments(self) -> Indices:
        """Number of comments by its author in the thread; 0 if the author is unknown."""
        _, group = np.unique(np.stack([self.first, self.author]), axis=1, return_inverse=True)
        group = group.reshape(-1)
        return np.where(self.author == UNKNOWN_AUTHOR, 0, np.bincount(group, minlength=1)[group])

    @cached_property
    def authors(self) -> Reals:
        """Number of known authors of the thread's comments."""
        return self._sums(self.author_turn == 1)

    def near(self, values: NDArray[Item], steps: int, unknown: float) -> NDArray[Item]:
        """The value of another comment of the thread.

        Args:
            values: one item per comment.
            steps: distance in comments; negative for earlier ones.
            unknown: default if the thread has no such comment.
        """
        neighbour = self._index + steps
        exists = (neighbour >= self.first) & (neighbour < self.end)
        return np.where(exists, values[np.where(exists, neighbour, 0)], np.asarray(unknown).astype(values.dtype))

    def before(self, mask: Mask) -> Indices:
        """Number of earlier comments in the mask."""
        earlier = np.concatenate([[0], np.cumsum(mask)])  # item i counts the comments before index i
        return earlier[self._index] - earlier[self.first]

    def after(self, mask: Mask) -> Indices:
        """Number of later comments in the mask."""
        earlier = np.concatenate([[0], np.cumsum(mask)])
        return earlier[self.end] - earlier[self._index + 1]

    def since(self, mask: Mask, never: float) -> Reals:
        """Distance to the previous comment in the mask; ``never`` if there is none."""
        # The index of the last comment in the mask up to each comment; moved by one, before it.
        last = np.maximum.accumulate(np.where(mask, self._index, ABSENT))
        last = np.concatenate([[ABSENT], last[:-1]]) if len(last) else last
        exists = last >= self.first
        return np.where(exists, self.comments.position - self.comments.position[np.where(exists, last, 0)], never)

    def until(self, mask: Mask, never: float) -> Reals:
        """Distance to the next comment in the mask; ``never`` if there is none."""
        # As in ``since``, from the end.
        beyond = len(self.comments)
        following = np.minimum.accumulate(np.where(mask, self._index, beyond)[::-1])[::-1]
        following = np.concatenate([following[1:], [beyond]]) if beyond else following
        exists = following < self.end
        return np.where(exists, self.comments.position[np.where(exists, following, 0)] - self.comments.position, never)

    @cached_property
    def _index(self) -> Indices:
        return np.arange(len(self.comments))

    @cached_property
    def _people(self) -> tuple[Indices, Indices]:
        number: dict[str | None, int] = {None: UNKNOWN_AUTHOR}
        author, asker = (
            np.array([number.setdefault(person, len(number)) for person in people], dtype=np.int64)
            for people in (self.comments.author, self.comments.asker)
        )
        return author, asker

    def _of_thread(self, values: list[int]) -> Indices:
        lengths = [part.stop - part.start for part in self.comments.threads]
        return np.repeat(np.array(values, dtype=np.int64), lengths)

    def _of_text(self, values: NDArray[Item]) -> NDArray[Item]:
        return np.append(values, np.zeros(1, dtype=values.dtype))[self.comments.text]

    def _sums(self, values: NDArray[np.generic]) -> Reals:
        weights = np.asarray(values, dtype=np.float64)
        return np.asarray(np.bincount(self.first, weights=weights), dtype=np.float64)[self.first]


def conversation(batch: QueryBatch) -> Conversation:
    """The comments of a batch as turns; for ``QueryBatch.derive``."""
    return Conversation(batch.thread_comments, batch.texts)


def same_person(first: Indices, second: Indices) -> Mask:
    """Whether two numbers denote the same known person."""
    return (first == second) & (first != UNKNOWN_AUTHOR)


def of_candidates(batch: QueryBatch, values: NDArray[np.generic]) -> Reals:
    """The values of the candidates that are comments; NaN for candidates that are posts.

    Args:
        batch: candidates and comments.
        values: one item per comment of the batch.
    """
    return np.append(np.asarray(values, dtype=np.float64), np.nan)[batch.comment]


def _words(texts: Texts) -> Reals:
    return np.array([len(words) for words in texts.words], dtype=np.float64)


def _asks(texts: Texts) -> Mask:
    return np.array(["?" in tokens for tokens in texts.tokens], dtype=bool)


def _thanks(texts: Texts) -> Mask:
    return np.array([not _THANKS.isdisjoint(words) for words in texts.words], dtype=bool)
