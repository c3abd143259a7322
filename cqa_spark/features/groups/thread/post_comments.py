"""The comments on the questions and answers of examples, with their authors, order and time."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, codes, matches, seconds
from cqa_spark.features.query_batch import QueryBatch


@dataclass(frozen=True)
class CommentsOnPosts:
    """Pairs of an example and a comment on its question or answer, as columns.

    Attributes:
        example: index of the example.
        row: index of the comment in ``QueryBatch.said``.
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
        there = self.time <= cut[self.example]
        return CommentsOnPosts(*(getattr(self, each.name)[there] for each in fields(self)))


def questions_comments(batch: QueryBatch) -> CommentsOnPosts:
    """The comments on the questions of examples."""
    return _comments_on(batch, "query_post_id")


def answers_comments(batch: QueryBatch) -> CommentsOnPosts:
    """The comments on the answers of examples."""
    return _comments_on(batch, "candidate_id")


def _comments_on(batch: QueryBatch, post: str) -> CommentsOnPosts:
    said = batch.said
    posts, of_comments = codes(batch.examples[post], said["post_id"])
    askers, answerers, speakers = codes(batch.examples["asker_id"], batch.examples["author_id"], said["author"])
    number = len(posts) + len(of_comments)
    place = batch.query_of(said) * number + of_comments
    example, row = matches(batch.query * number + posts, place)
    before = _speakers_before(said, place, speakers)[row]
    speaker, asker, answerer = speakers[row], askers[example], answerers[example]
    by_asker = (speaker == asker) & (asker != ABSENT)
    by_answerer = (speaker == answerer) & (answerer != ABSENT)
    after_asker = (before == asker) & (asker != ABSENT)
    after_answerer = (before == answerer) & (answerer != ABSENT)
    in_turn = ((by_asker & after_answerer) | (by_answerer & after_asker)) & (asker != answerer)
    return CommentsOnPosts(example, row, seconds(said["created_at"])[row], by_asker, by_answerer, in_turn)


def _speakers_before(said: pa.Table, place: Indices, speakers: Indices) -> Indices:
    """The author of the previous comment on the same post, by time, then number; ``ABSENT`` for first comments."""
    ids = said["comment_id"]
    table = pa.table({"place": place, "time": said["created_at"], "length": pc.utf8_length(ids), "id": ids})
    order = pc.sort_indices(table, [(name, "ascending") for name in table.column_names]).to_numpy()
    follows = place[order[1:]] == place[order[:-1]]
    before = np.full(len(order), ABSENT, dtype=np.int64)
    before[order[1:]] = np.where(follows, speakers[order[:-1]], ABSENT)
    return before
