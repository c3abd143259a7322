"""The votes for the candidates of a batch that were known at the cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cqa_spark.corpora.stackexchange.votes import DOWN, UP
from cqa_spark.features.arrays import Indices, Reals, codes, doubles, matches, seconds
from cqa_spark.features.query_batch import QueryBatch


class CandidateVotes(NamedTuple):
    """Votes for and against candidates; those of a day are one row.

    Attributes:
        example: index of the candidate's example.
        known_at: the end of the day of the votes, in seconds since 1970.
        sign: 1 for votes up, -1 for votes down.
        number: number of votes.
    """

    example: Indices
    known_at: Reals
    sign: Reals
    number: Reals


def known_votes(batch: QueryBatch) -> CandidateVotes:
    """The votes that were known at the cut of their candidate; a vote is known from the end of its day."""
    votes = batch.votes
    candidates, posts = codes(batch.examples["candidate_id"], votes["post_id"])
    size = len(candidates) + len(posts)
    example, row = matches(batch.query * size + candidates, batch.query_of(votes) * size + posts)
    known_at, kind = seconds(votes["known_at"])[row], votes["vote_type_id"].to_numpy()[row]
    counted = (known_at <= batch.times("cut")[example]) & np.isin(kind, (UP, DOWN))
    sign = np.where(kind == UP, 1.0, -1.0)
    return CandidateVotes(example[counted], known_at[counted], sign[counted], doubles(votes["number"])[row][counted])
