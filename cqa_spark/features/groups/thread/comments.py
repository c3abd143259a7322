"""Comments on the question and on the answer: number, authors and sentiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cqa_spark.features.arrays import Reals
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.groups.thread.comment_tone import SCALE, measure
from cqa_spark.features.groups.thread.post_comments import CommentsOnPosts, answers_comments, questions_comments
from cqa_spark.features.history.dump_state import DumpState
from cqa_spark.features.history.snapshot import SNAPSHOT_CAUTION
from cqa_spark.features.query_batch import QueryBatch

_XU = "Xu et al. 2018, Table 2, Comments"

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

    family: ClassVar[str] = "comments"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = _FEATURES
    reads_texts: ClassVar[bool] = False
    comment_columns: ClassVar[tuple[str, ...]] = ("body",)


class CommentsSnapshotV1(_Comments):
    """All comments in the dump, including the asker's thanks below the accepted answer."""

    name: ClassVar[str] = "comments_snapshot_v1"
    about: ClassVar[str] = "comments on question and answer, at the time of the dump"
    caution: ClassVar[str] = SNAPSHOT_CAUTION

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """Counts and tone of all comments."""
        return _values(batch, batch.derive(questions_comments), batch.derive(answers_comments))


class CommentsAsOfV1(_Comments):
    """Comments made before the cut."""

    name: ClassVar[str] = "comments_asof_v1"
    about: ClassVar[str] = "comments on question and answer posted before the cut"
    is_as_of: ClassVar[bool] = True
    as_of_dump: ClassVar[frozenset[DumpState]] = frozenset({DumpState.DELETED_ACCOUNTS})

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """Counts and tone of comments up to the cut; NaN if the cut is unknown."""
        cut = batch.times("cut")
        there = (batch.derive(each).until(cut) for each in (questions_comments, answers_comments))
        return {name: np.where(np.isnan(cut), np.nan, value) for name, value in _values(batch, *there).items()}


def _values(
    batch: QueryBatch, on_question: CommentsOnPosts, on_answer: CommentsOnPosts
) -> dict[str, NDArray[np.float64]]:
    def number(on_post: CommentsOnPosts, chosen: ArrayLike) -> Reals:
        return np.bincount(on_post.example, weights=chosen, minlength=len(batch)).astype(np.float64)

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
    bodies = batch.said["body"].take(comments.row).to_pylist()
    measured = np.array([measure(body or "") for body in bodies], dtype=np.float64).reshape(-1, 4)
    return np.stack([np.bincount(comments.example, weights=one, minlength=len(batch)) for one in measured.T])
