"""Votes for the answer itself, and its age, at the cut."""

from typing import NamedTuple

import numpy as np

from cqa_spark.corpora.stackexchange.values import DOWN, UP
from cqa_spark.features.arrays import Indices, Reals, doubles, seconds
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
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
    example, row = batch.joined("candidate_id", votes, "post_id")
    known_at, kind = seconds(votes["known_at"])[row], votes["vote_type_id"].to_numpy()[row]
    counted = (known_at <= batch.times("cut")[example]) & np.isin(kind, (UP, DOWN))
    sign = np.where(kind == UP, 1.0, -1.0)
    return CandidateVotes(example[counted], known_at[counted], sign[counted], doubles(votes["number"])[row][counted])


_OURS = "ours; Xu et al. 2018, Table 2, have no votes for the answer itself"


class AnswerVotesAsOfV1(PostGroup):
    """Votes count from the end of their day. Answers posted after the cut have no values.

    Acceptances are excluded, because after the acceptance they would be the label.
    """

    name = "answer_votes_asof_v1"
    family = "answer_votes"
    about = "votes for the answer and its age, as known at the cut"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("up_votes", "up votes for the answer", _OURS),
        FeatureColumn("down_votes", "down votes for the answer", _OURS),
        FeatureColumn("score", "up votes minus down votes", _OURS),
        FeatureColumn("age", "hours from the answer to the cut", _OURS),
    )
    needs = ("votes",)
    reads_votes = True
    is_as_of = True

    def compute(self, batch: QueryBatch) -> Values:
        """Count the votes that were known at the cut."""
        age = (batch.times("cut") - batch.times("answered_at")) / 3600
        age[age < 0] = np.nan
        votes = known_votes(batch)
        up, down = (
            np.where(np.isnan(age), np.nan, np.bincount(votes.example, chosen * votes.number, minlength=len(batch)))
            for chosen in (votes.sign > 0, votes.sign < 0)
        )
        return {"up_votes": up, "down_votes": down, "score": up - down, "age": age}
