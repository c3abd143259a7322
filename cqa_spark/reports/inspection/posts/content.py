"""Statistics of posts, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quartiles:
    """Minimum, quartiles and maximum of a distribution."""

    lowest: float
    lower: float
    median: float
    upper: float
    highest: float


@dataclass(frozen=True)
class ScoreCount:
    """Number of questions and answers with a score; the lowest and highest score include all scores beyond them."""

    score: int
    questions: int
    answers: int


@dataclass(frozen=True)
class Month:
    """Number of questions and answers in one month.

    Attributes:
        number: months since the year 0: twelve times the year, plus 0 for January to 11 for December.
        questions: questions of the month.
        answers: answers of the month.
    """

    number: int
    questions: int
    answers: int


@dataclass(frozen=True)
class Threads:
    """Number of questions and answers, with the distributions of their scores; number of posts that were invented."""

    questions: int
    answers: int
    accepted: int
    question_scores: Quartiles | None = None
    answer_scores: Quartiles | None = None
    invented: int = 0

    @property
    def answers_per_question(self) -> float | None:
        """Mean number of answers; None without questions."""
        return self.answers / self.questions if self.questions else None
