"""Votes for the answer itself, and its age, at the cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from cqa_spark.features.candidate_votes import known_votes
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup
from cqa_spark.features.query_batch import QueryBatch

_OURS = "ours; Xu et al. 2018, Table 2, have no votes for the answer itself"


class AnswerVotesAsOfV1(QueryGroup):
    """Votes count from the end of their day. Answers posted after the cut have no values.

    Acceptances are excluded, because after the acceptance they would be the label.
    """

    name: ClassVar[str] = "answer_votes_asof_v1"
    family: ClassVar[str] = "answer_votes"
    about: ClassVar[str] = "votes for the answer and its age, as known at the cut"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = (
        FeatureColumn("up_votes", "up votes for the answer", _OURS),
        FeatureColumn("down_votes", "down votes for the answer", _OURS),
        FeatureColumn("score", "up votes minus down votes", _OURS),
        FeatureColumn("age", "hours from the answer to the cut", _OURS),
    )
    needs: ClassVar[tuple[str, ...]] = ("votes",)
    reads_texts: ClassVar[bool] = False
    reads_comments: ClassVar[bool] = False
    reads_votes: ClassVar[bool] = True
    is_as_of: ClassVar[bool] = True

    def compute(self, batch: QueryBatch) -> Mapping[str, ArrayLike]:
        """Count the votes that were known at the cut."""
        age = (batch.times("cut") - batch.times("answered_at")) / 3600
        age[age < 0] = np.nan
        votes = known_votes(batch)
        up, down = (
            np.where(np.isnan(age), np.nan, np.bincount(votes.example, chosen * votes.number, minlength=len(batch)))
            for chosen in (votes.sign > 0, votes.sign < 0)
        )
        return {"up_votes": up, "down_votes": down, "score": up - down, "age": age}
