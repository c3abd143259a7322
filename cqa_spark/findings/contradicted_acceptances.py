"""Acceptances that votes contradict: another answer of the thread leads by votes, and nothing was learned to see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cqa_spark.findings.answers import ANSWERS, DAY, NEVER, Answers, Indices
from cqa_spark.findings.finding import Finding, Kind

LEAD = 3
"""Votes by which another answer leads."""

MONTH, YEAR = 30 * DAY, 365 * DAY
"""How long after the acceptance the past is looked at, and how long votes are counted from then on."""


class Contradictions(NamedTuple):
    """Accepted answers that are behind by ``LEAD`` votes or more; arrays of shape (contradictions,).

    Attributes:
        row: the accepted answer.
        other: the answer with the most votes of its thread, the oldest of several.
        cut: the time.
        votes: of the accepted answer at this time.
        lead: by how many votes the other one leads.
    """

    row: Indices
    other: Indices
    cut: Indices
    votes: Indices
    lead: Indices


def contradictions(answers: Answers, row: Indices, cut: Indices) -> Contradictions:
    """Those of some accepted answers that are behind at some times, one for each."""
    position, other = answers.rivals(row, cut)
    rival_votes = answers.votes(other, cut[position])
    # The best rival is the first of its accepted answer in this order.
    order = np.lexsort((other, -rival_votes, position))
    answer, first = np.unique(position[order], return_index=True)
    best = order[first]
    votes = answers.votes(row[answer], cut[answer])
    lead = rival_votes[best] - votes
    behind = lead >= LEAD
    chosen = answer[behind]
    return Contradictions(row[chosen], other[best][behind], cut[chosen], votes[behind], lead[behind])


class ContradictedAcceptances(Finding):
    """Accepted answers that another answer of the thread leads by three votes or more."""

    name = "contradicted_acceptances"
    about = "accepted answers that are three votes or more behind another answer"
    kinds = (
        Kind(
            "contradicted_acceptance",
            "Acceptances that votes contradict",
            "Read both: the accepted answer is served first, and may be outdated.",
            "share of those in which the other answer gains more votes in the next year, too; ties count half",
            "a coin",
            is_list=False,
        ),
    )
    rows = ANSWERS

    def find(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """All of tonight, the largest lead first."""
        answers = Answers.of(rows)
        accepted = np.flatnonzero(answers.accepted < NEVER)
        tonight = contradictions(answers, accepted, np.full(len(accepted), answers.end))
        for row, other, _, votes, lead in zip(*map(np.ndarray.tolist, tonight), strict=True):
            yield {
                "kind": self.kinds[0].name,
                "post_id": answers.ids[row],
                "other_id": answers.ids[other],
                "thread_id": answers.threads[row],
                "score": float(lead),
                "probability": None,
                "evidence": f"votes of the accepted answer {votes} against {votes + lead}",
            }

    def backtest(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """Those of a month after the acceptance, with what votes said in the year after that."""
        answers = Answers.of(rows)
        accepted = np.flatnonzero(answers.accepted <= answers.end - MONTH - YEAR)
        past = contradictions(answers, accepted, answers.accepted[accepted] + MONTH)
        gains = [answers.votes(row, past.cut + YEAR) - answers.votes(row, past.cut) for row in (past.other, past.row)]
        for row, gain in zip(past.row.tolist(), np.sign(gains[0] - gains[1]).tolist(), strict=True):
            yield {
                "kind": self.kinds[0].name,
                "post_id": answers.ids[row],
                "cluster": answers.threads[row],
                "score": 0.5 + gain / 2,
                "rival_score": 0.5,
                "hit": None,
            }
