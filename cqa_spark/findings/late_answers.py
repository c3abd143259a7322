"""Late answers: written a month or more after the question, behind by votes, and likely to gain the most."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.findings.answers import ANSWERS, DAY, MARKUP, Answers, Indices, Reals, judged_at
from cqa_spark.findings.finding import Examples, Finding, Kind
from cqa_spark.findings.linear_model import FindingModel, read_model

Flags = NDArray[np.bool_]

LATE = 30 * DAY
"""Time after the question from which on an answer is late."""

NEW = 90 * DAY
"""Age up to which a late answer is listed."""

SHORTEST, LONGEST = 365 * DAY, 3 * 365 * DAY
"""How long votes are counted afterwards."""

FEATURES = (
    "lead", "votes", "best_votes", "words", "words_lead", "is_longest", *MARKUP, "answers", "days_late",
    "days_since_last", "has_accepted", "by_asker", "has_author", "author_answers", "author_votes", "recent_votes",
    "recent_lead",
)  # fmt: skip


class Candidates(NamedTuple):
    """Late answers that are behind at a time; arrays of shape (candidates,).

    Attributes:
        row: the answer.
        cut: the time.
        rival: the answer with the most votes of its thread, the oldest of several.
        features: shape (candidates, features).
    """

    row: Indices
    cut: Indices
    rival: Indices
    features: Reals


def candidates(answers: Answers) -> Candidates:
    """The late answers that were behind a week after they were written or, if they are younger, are behind tonight."""
    row = np.flatnonzero(answers.answered - answers.asked >= LATE)
    cut = judged_at(answers.answered[row], answers.end)
    position, other = answers.rivals(row, cut)

    def largest(values: Reals, least: float = 0.0) -> Reals:
        """The largest value of the rivals of each answer."""
        largest = np.full(len(row), least)
        np.maximum.at(largest, position, values)
        return largest

    votes, rival_votes = answers.votes(row, cut), answers.votes(other, cut[position])
    best = largest(rival_votes.astype(np.float64), -np.inf)
    is_best = rival_votes == best[position]
    rival = np.full(len(row), len(answers))
    np.minimum.at(rival, position[is_best], other[is_best])
    before = cut - 90 * DAY
    recent, rival_recent = votes - answers.votes(row, before), rival_votes - answers.votes(other, before[position])
    words, asked, answered = np.log1p(answers.words), answers.asked[row], answers.answered[row]
    is_earlier = answers.answered[other] < answered[position]
    last = np.maximum(asked, largest(np.where(is_earlier, answers.answered[other], 0).astype(np.float64)))
    others_words = largest(words[other])
    has_author = answers.authors[row] >= 0
    number = answers.author_answers[row]
    values = {
        "lead": np.log1p(np.maximum(best - votes, 0)),
        "votes": np.sign(votes) * np.log1p(np.abs(votes)),
        "best_votes": np.log1p(np.maximum(best, 0)),
        "words": words[row],
        "words_lead": words[row] - others_words,
        "is_longest": words[row] > others_words,
        **{name: np.log1p(answers.markup[row, column]) for column, name in enumerate(MARKUP)},
        "answers": np.log1p(np.bincount(position, minlength=len(row))),
        "days_late": np.log((answered - asked) / DAY),
        "days_since_last": np.log1p((answered - last) / DAY),
        "has_accepted": largest((answers.accepted[other] <= cut[position]).astype(np.float64)),
        "by_asker": (answers.authors[row] == answers.askers[row]) & has_author,
        "has_author": has_author,
        "author_answers": np.log1p(number),
        "author_votes": answers.author_votes[row] / (number + 1),
        "recent_votes": recent,
        "recent_lead": recent - largest(rival_recent.astype(np.float64)),
    }
    features = np.column_stack([np.asarray(values[name], np.float64) for name in FEATURES])
    is_behind = best > votes
    return Candidates(row[is_behind], cut[is_behind], rival[is_behind], features[is_behind])


def gains_most(answers: Answers, late: Candidates) -> tuple[Indices, Flags]:
    """Which late answers gained more votes than every other answer of their thread in the three years after.

    Returns:
        The positions of those of which a year or more is known, and whether they did.
    """
    known = np.flatnonzero(late.cut + SHORTEST <= answers.end)
    row, cut = late.row[known], late.cut[known]
    end = np.minimum(cut + LONGEST, answers.end)
    position, other = answers.rivals(row, cut)
    most = np.full(len(row), np.iinfo(np.int64).min)
    gains = answers.votes(other, end[position]) - answers.votes(other, cut[position])
    np.maximum.at(most, position, gains)
    return known, answers.votes(row, end) - answers.votes(row, cut) > most


class LateAnswers(Finding):
    """Late answers that deserve a look, although another answer stands before them.

    A late answer is judged once, a week after it was written, when its first readers have voted.
    """

    name = "late_answers"
    about = "answers of a month or more after the question that stand behind and will gain the most votes"
    kinds = (
        Kind(
            "late_answer",
            "Late answers worth a look",
            "Read it: if it is the better answer, vote for it, or move what it says into the first one.",
            "share of the first tenth that gained the most votes of its thread in the three years after",
            "lead by votes",
        ),
    )
    rows = ANSWERS

    @cached_property
    def _model(self) -> FindingModel:
        return read_model(self.name, FEATURES)

    @property
    def version(self) -> str:
        """That of the model."""
        return self._model.version

    def find(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """Those of the last three months that are still behind."""
        answers = Answers.of(rows)
        late = candidates(answers)
        tonight = np.full(len(late.row), answers.end)
        votes, rival_votes = answers.votes(late.row, tonight), answers.votes(late.rival, tonight)
        listed = (answers.answered[late.row] > answers.end - NEW) & (votes < rival_votes)
        probability = self._model.probability(site, late.features)
        for case in np.flatnonzero(listed).tolist():
            row, rival = late.row[case], late.rival[case]
            days = (answers.answered[row] - answers.asked[row]) // DAY
            yield {
                "kind": self.kinds[0].name,
                "post_id": answers.ids[row],
                "other_id": answers.ids[rival],
                "thread_id": answers.threads[row],
                "score": float(probability[case]),
                "probability": float(probability[case]),
                "evidence": f"written {days:,} days after the question; votes {votes[case]} against "
                f"{rival_votes[case]}, words {answers.words[row]:,} against {answers.words[rival]:,}",
            }

    def backtest(self, site: str, rows: pa.Table) -> Iterator[dict[str, Any]]:
        """All those of which a year or more is known."""
        answers = Answers.of(rows)
        late = candidates(answers)
        score = self._model.of_site(site).log_odds(late.features)
        probability = self._model.probability(site, late.features)
        known, hits = gains_most(answers, late)
        for case, hit in zip(known.tolist(), hits.tolist(), strict=True):
            yield {
                "kind": self.kinds[0].name,
                "post_id": answers.ids[late.row[case]],
                "cluster": answers.threads[late.row[case]],
                "score": float(score[case]),
                "rival_score": -float(late.features[case, FEATURES.index("lead")]),
                "hit": hit,
                "probability": float(probability[case]),
            }

    def examples(self, rows: pa.Table) -> Iterator[Examples]:
        """All late answers of which a year or more is known; few, so the penalty is high."""
        answers = Answers.of(rows)
        late = candidates(answers)
        known, hits = gains_most(answers, late)
        yield Examples(self.name, FEATURES, late.features[known], hits, penalty=100.0)
