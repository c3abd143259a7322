"""The standing of an answer among its rivals: votes in all, of its first days, and since the latest answer."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cqa_spark.corpora.stackexchange.values import DOWN, UP
from cqa_spark.features.arrays import Indices, Reals, doubles, scattered, seconds
from cqa_spark.features.group import Entity, FeatureColumn, PostGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.within_query import WithinQuery, signed_log

# Votes for the answer itself, and its age, at the cut.


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
            np.where(np.isnan(age), np.nan, np.bincount(votes.example, is_counted * votes.number, minlength=len(batch)))
            for is_counted in (votes.sign > 0, votes.sign < 0)
        )
        return {"up_votes": up, "down_votes": down, "score": up - down, "age": age}


_DAY = 86_400.0
_FAR_AHEAD = 10.0


class AnswerStandingAsOfV1(PostGroup):
    """Votes known at the cut, compared with those for the other answers of the question that were there.

    Dumps date votes by day. An older answer had more time to collect votes: those of the first days, and those since
    the latest answer, compare answers of different ages. Acceptances are excluded. Answers
    posted after the cut have no values and are no rivals.
    """

    name = "answer_standing_asof_v1"
    family = "answer_votes"
    about = "votes for the answer compared with those for its rivals, as known at the cut"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("net", "up votes minus down votes, signed logarithm", "ours"),
        FeatureColumn("share", "up minus down votes, over the square root of 1 plus the votes for all answers", "ours"),
        FeatureColumn("down", "down votes, logarithm", "ours"),
        FeatureColumn(
            "lead", f"net votes minus those of the best rival, at most {_FAR_AHEAD:g} apart, signed logarithm", "ours"
        ),
        FeatureColumn("leads", "1 if no rival has more net votes", "ours"),
        FeatureColumn("early", "up votes on the day of the answer and the next", "ours"),
        FeatureColumn("since_latest", "net votes since the day of the latest answer, signed logarithm", "ours"),
    )
    needs = ("votes",)
    reads_votes = True
    is_as_of = True

    def compute(self, batch: QueryBatch) -> Values:
        """Count the votes of each answer that was there, then compare."""
        cut, answered = batch.times("cut"), batch.times("answered_at")
        present = np.flatnonzero(answered <= cut)  # indices of the examples whose answer was there
        within_query, midnight = WithinQuery(batch.query[present]), np.floor(answered / _DAY) * _DAY
        latest = scattered(within_query.highest(midnight[present]), present, len(batch))
        example, known_at, sign, number = known_votes(batch)
        day = known_at - _DAY  # a vote is known from the end of its day

        def count(is_counted: ArrayLike, weights: Reals = number) -> Reals:
            counted = np.bincount(example, np.where(is_counted, weights, 0.0), minlength=len(batch))
            return counted.astype(np.float64)[present]

        up, down = count(sign > 0), count(sign < 0)
        net = up - down
        lead = np.clip(within_query.lead(net), -_FAR_AHEAD, _FAR_AHEAD)
        values = {
            "net": signed_log(net),
            "share": net / np.sqrt(1 + within_query.total(up + down)),
            "down": np.log1p(down),
            "lead": signed_log(lead),
            "leads": within_query.leads(net).astype(np.float64),
            "early": count((sign > 0) & (day <= midnight[example] + _DAY)),
            "since_latest": signed_log(count(day >= latest[example], number * sign)),
        }
        return {name: scattered(column, present, len(batch)) for name, column in values.items()}
