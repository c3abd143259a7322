"""Queries on which the best system and the baseline disagree."""

from cqa_spark.reports.queries import PostText
from cqa_spark.reports.reported_run import MeasuredQuery
from cqa_spark.reports.sections.queries import Disagreement, disagreements

GAINED = MeasuredQuery("s", "q1", "", 2, 1, 1.0, 0.0)
LOST = MeasuredQuery("s", "q2", "", 2, 1, 0.0, 1.0)
SAME_FIRST = MeasuredQuery("s", "q3", "", 3, 2, 0.75, 0.5)
TEXTS = {
    ("s", "q1"): PostText("Banks", "Which bank?"),
    ("s", "a"): PostText("", "Any bank."),
    ("s", "b"): PostText("", "x" * 701),
}


def test_the_first_candidates_of_the_better_and_of_the_other_system() -> None:
    firsts = [(GAINED, "a", "b"), (LOST, "a", "c"), (SAME_FIRST, "a", "a"), (LOST, "a", None)]
    assert list(disagreements("best", "given", firsts, TEXTS)) == [
        Disagreement("best", "Banks", "Which bank?", "Any bank.", "x" * 700 + "…"),
        Disagreement("given", "q2", "", "", "Any bank."),
    ]
