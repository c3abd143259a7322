"""The comments on the questions and on the answers of examples: who spoke, after whom, and when."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.features.arrays import ABSENT, Indices, Mask, Reals, codes, matches, seconds
from cqa_spark.features.query_batch import QueryBatch


@dataclass(frozen=True)
class Beside:
    """Comments beside the examples on whose post they are: a row for each of both.

    Attributes:
        example: index of the example.
        row: index of the comment in ``QueryBatch.said``.
        time: seconds since 1970; NaN where unknown.
        by_asker: whether the asker spoke.
        by_answerer: whether the answerer spoke.
        in_turn: whether one of asker and answerer spoke directly after the other; nobody takes turns with oneself.
    """

    example: Indices
    row: Indices
    time: Reals
    by_asker: Mask
    by_answerer: Mask
    in_turn: Mask

    def until(self, cut: Reals) -> Beside:
        """What was there at each example's cut; what has no time was not."""
        there = self.time <= cut[self.example]
        return Beside(*(getattr(self, each.name)[there] for each in fields(self)))


def questions_comments(batch: QueryBatch) -> Beside:
    """The comments on the questions of examples."""
    return _beside(batch, "query_id")


def answers_comments(batch: QueryBatch) -> Beside:
    """The comments on the answers of examples."""
    return _beside(batch, "candidate_id")


def _beside(batch: QueryBatch, post: str) -> Beside:
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
    return Beside(example, row, seconds(said["created_at"])[row], by_asker, by_answerer, in_turn)


def _speakers_before(said: pa.Table, place: Indices, speakers: Indices) -> Indices:
    """By comment, who made the one before it on the same post; by time, then by number; ``ABSENT`` for nobody."""
    ids = said["comment_id"]
    table = pa.table({"place": place, "time": said["created_at"], "length": pc.utf8_length(ids), "id": ids})
    order = pc.sort_indices(table, [(name, "ascending") for name in table.column_names]).to_numpy()
    follows = place[order[1:]] == place[order[:-1]]
    before = np.full(len(order), ABSENT, dtype=np.int64)
    before[order[1:]] = np.where(follows, speakers[order[:-1]], ABSENT)
    return before
