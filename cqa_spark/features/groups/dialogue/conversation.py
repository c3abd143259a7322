"""Dialogue structure of threads, as arrays over all comments of a batch."""

from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals
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
        longest_first = np.lexsort((self._index, -self.words, self.first))
        rank = np.empty_like(self._index)
        rank[longest_first] = self._index - self.first + 1
        return rank

    @cached_property
    def author_turn(self) -> Indices:
        """Position among its author's comments in the thread, from 1; 0 if the author is unknown."""
        together = np.lexsort((self._index, self.author, self.first))
        thread, author = self.first[together], self.author[together]
        starts = np.ones(len(together), dtype=bool)
        starts[1:] = (thread[1:] != thread[:-1]) | (author[1:] != author[:-1])
        start = np.maximum.accumulate(np.where(starts, self._index, 0))
        turn = np.empty_like(self._index)
        turn[together] = self._index - start + 1
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
        place = self._index + steps
        there = (place >= self.first) & (place < self.end)
        return np.where(there, values[np.where(there, place, 0)], np.asarray(unknown).astype(values.dtype))

    def before(self, chosen: Mask) -> Indices:
        """Number of chosen comments before."""
        earlier = np.concatenate([[0], np.cumsum(chosen)])
        return earlier[self._index] - earlier[self.first]

    def after(self, chosen: Mask) -> Indices:
        """Number of chosen comments after."""
        earlier = np.concatenate([[0], np.cumsum(chosen)])
        return earlier[self.end] - earlier[self._index + 1]

    def since(self, chosen: Mask, never: float) -> Reals:
        """Distance to the previous chosen comment; ``never`` if there is none."""
        last = np.maximum.accumulate(np.where(chosen, self._index, ABSENT))
        last = np.concatenate([[ABSENT], last[:-1]]) if len(last) else last
        there = last >= self.first
        return np.where(there, self.comments.position - self.comments.position[np.where(there, last, 0)], never)

    def until(self, chosen: Mask, never: float) -> Reals:
        """Distance to the next chosen comment; ``never`` if there is none."""
        beyond = len(self.comments)
        following = np.minimum.accumulate(np.where(chosen, self._index, beyond)[::-1])[::-1]
        following = np.concatenate([following[1:], [beyond]]) if beyond else following
        there = following < self.end
        return np.where(there, self.comments.position[np.where(there, following, 0)] - self.comments.position, never)

    @cached_property
    def _index(self) -> Indices:
        return np.arange(len(self.comments))

    @cached_property
    def _people(self) -> tuple[Indices, Indices]:
        number: dict[str | None, int] = {None: UNKNOWN_AUTHOR}
        author, asker = (
            np.array([number.setdefault(who, len(number)) for who in each], dtype=np.int64)
            for each in (self.comments.author, self.comments.asker)
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


def same_person(one: Indices, other: Indices) -> Mask:
    """Whether two numbers denote the same known person."""
    return (one == other) & (one != UNKNOWN_AUTHOR)


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
