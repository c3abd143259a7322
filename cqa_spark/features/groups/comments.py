"""Comments on the question and on the answer: number, authors and sentiment.

The paper used the sentiment model of Stanford CoreNLP, a recursive neural network trained on film reviews. It assigns
every sentence to one of five classes from very negative to very positive; the third is neutral. VADER (Hutto and
Gilbert 2014) is a lexicon for short posts, with rules for negation, emphasis and emoticons. It scores a sentence from
-1 to 1; scores within 0.05 of 0 count as neutral, as its authors advise. VADER ignores sentence structure beyond a few
words and finds far more sentences neutral. Sentences end at a full stop, exclamation or question mark before white
space, and at the end of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, codes, seconds
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION, DumpState
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.text.vader import polarity


@dataclass(frozen=True)
class CommentsOnPosts:
    """Pairs of an example and a comment on its question or answer, as columns.

    Attributes:
        example: index of the example.
        row: index of the comment in ``QueryBatch.comments``.
        time: seconds since 1970; NaN where unknown.
        by_asker: whether the asker wrote the comment.
        by_answerer: whether the answerer wrote the comment.
        in_turn: whether asker or answerer wrote it directly after a comment of the other; False if both are the same.
    """

    example: Indices
    row: Indices
    time: Reals
    by_asker: Mask
    by_answerer: Mask
    in_turn: Mask

    def until(self, cut: Reals) -> CommentsOnPosts:
        """The comments up to each example's cut; comments without a time are excluded."""
        is_known = self.time <= cut[self.example]
        return CommentsOnPosts(*(getattr(self, column.name)[is_known] for column in fields(self)))


def comments_on(batch: QueryBatch, post: str) -> CommentsOnPosts:
    """The comments on posts of the examples; for ``QueryBatch.derive``.

    Args:
        batch: the examples.
        post: the column of the examples with the posts' ids.
    """
    comments = batch.comments
    askers, answerers, speakers = codes(batch.examples["asker_id"], batch.examples["author_id"], comments["author"])
    example, row = batch.joined(post, comments, "post_id")
    # Question and post as one number.
    posts = batch.question_of(comments) * len(comments) + codes(comments["post_id"])[0]
    before = _speakers_before(comments, posts, speakers)[row]
    speaker, asker, answerer = speakers[row], askers[example], answerers[example]
    by_asker = (speaker == asker) & (asker != ABSENT)
    by_answerer = (speaker == answerer) & (answerer != ABSENT)
    after_asker = (before == asker) & (asker != ABSENT)
    after_answerer = (before == answerer) & (answerer != ABSENT)
    in_turn = ((by_asker & after_answerer) | (by_answerer & after_asker)) & (asker != answerer)
    return CommentsOnPosts(example, row, seconds(comments["created_at"])[row], by_asker, by_answerer, in_turn)


def _speakers_before(comments: pa.Table, posts: Indices, speakers: Indices) -> Indices:
    """The author of the previous comment on the same post, by time, then number; ``ABSENT`` for first comments."""
    ids = comments["comment_id"]
    table = pa.table({"post": posts, "time": comments["created_at"], "length": pc.utf8_length(ids), "id": ids})
    order = pc.sort_indices(table, [(name, "ascending") for name in table.column_names]).to_numpy()
    # The comment at order[i] follows the one at order[i - 1], if both are below one post.
    follows = posts[order[1:]] == posts[order[:-1]]
    before = np.full(len(order), ABSENT, dtype=np.int64)
    before[order[1:]] = np.where(follows, speakers[order[:-1]], ABSENT)
    return before


SCALE = 10_000
"""VADER rounds to four digits. Scores times ``SCALE`` are integers, so their sums are exact in any order."""

NEUTRAL_BELOW = SCALE * 5 // 100

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@lru_cache(maxsize=10_000)
def measure(text: str) -> tuple[int, int, int, int]:
    """Number and total sentiment of all sentences, then of the sentences that are not neutral.

    Sentiments are in units of 1 / ``SCALE``.
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    tones = [round(SCALE * polarity(sentence)["compound"]) for sentence in sentences]
    toned = [tone for tone in tones if abs(tone) >= NEUTRAL_BELOW]
    return len(tones), sum(tones), len(toned), sum(toned)


_XU = "Xu et al. 2018, Table 2, Comments"
_POSTS = ("query_post_id", "candidate_id")

_FEATURES = (
    FeatureColumn("on_question", "comments on the question", _XU),
    FeatureColumn("on_answer", "comments on the answer", _XU),
    FeatureColumn("asker_on_question", "1 if the asker commented on the question", _XU),
    FeatureColumn("asker_on_answer", "1 if the asker commented on the answer", _XU),
    FeatureColumn("answerer_on_question", "1 if the answerer commented on the question", _XU),
    FeatureColumn("answerer_on_answer", "1 if the answerer commented on the answer", _XU),
    FeatureColumn("sequential", "comments by asker or answerer that directly follow a comment of the other", _XU),
    FeatureColumn("sentiment", "mean sentiment of the sentences of comments on the answer, -1 to 1; 0 for none", _XU),
    FeatureColumn("toned_sentiment", "mean sentiment of those sentences that are not neutral; 0 for none", _XU),
    FeatureColumn("any_on_answer", "1 if there is a comment on the answer", _XU),
)


class _Comments(QueryGroup):
    """Base class of both variants."""

    family = "comments"
    entity = Entity.PAIR
    columns = _FEATURES
    reads_texts = False
    comment_columns = ("body",)


class CommentsSnapshotV1(_Comments):
    """All comments in the dump, including the asker's thanks below the accepted answer."""

    name = "comments_snapshot_v1"
    about = "comments on question and answer, at the time of the dump"
    caution = SNAPSHOT_CAUTION

    def compute(self, batch: QueryBatch) -> Values:
        """Counts and tone of all comments."""
        return _values(batch, *(batch.derive(comments_on, post) for post in _POSTS))


class CommentsAsOfV1(_Comments):
    """Comments made before the cut."""

    name = "comments_asof_v1"
    about = "comments on question and answer posted before the cut"
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    def compute(self, batch: QueryBatch) -> Values:
        """Counts and tone of comments up to the cut; NaN if the cut is unknown."""
        cut = batch.times("cut")
        known = (batch.derive(comments_on, post).until(cut) for post in _POSTS)
        return {name: np.where(np.isnan(cut), np.nan, value) for name, value in _values(batch, *known).items()}


def _values(batch: QueryBatch, on_question: CommentsOnPosts, on_answer: CommentsOnPosts) -> dict[str, Reals]:
    def number(on_post: CommentsOnPosts, is_counted: ArrayLike) -> Reals:
        return np.bincount(on_post.example, weights=is_counted, minlength=len(batch)).astype(np.float64)

    comments = number(on_answer, np.ones(len(on_answer.example)))
    # Someone who answers their own question counts as its asker.
    by_answerer = on_question.by_answerer & ~on_question.by_asker
    sequential = number(on_question, on_question.in_turn) + number(on_answer, on_answer.in_turn)
    sentences, sentiment, toned_sentences, toned_sentiment = _tone(batch, on_answer)
    return {
        "on_question": number(on_question, np.ones(len(on_question.example))),
        "on_answer": comments,
        "asker_on_question": (number(on_question, on_question.by_asker) > 0).astype(np.float64),
        "asker_on_answer": (number(on_answer, on_answer.by_asker) > 0).astype(np.float64),
        "answerer_on_question": (number(on_question, by_answerer) > 0).astype(np.float64),
        "answerer_on_answer": (number(on_answer, on_answer.by_answerer) > 0).astype(np.float64),
        "sequential": sequential,
        "sentiment": sentiment / (SCALE * np.maximum(1, sentences)),
        "toned_sentiment": toned_sentiment / (SCALE * np.maximum(1, toned_sentences)),
        "any_on_answer": (comments > 0).astype(np.float64),
    }


def _tone(batch: QueryBatch, comments: CommentsOnPosts) -> Reals:
    """Sums of the results of ``measure`` over the comments of each example."""
    bodies = batch.comments["body"].take(comments.row).to_pylist()
    measured = np.array([measure(body or "") for body in bodies], dtype=np.float64).reshape(-1, 4)
    return np.stack([np.bincount(comments.example, weights=sums, minlength=len(batch)) for sums in measured.T])
