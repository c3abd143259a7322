"""Queries on which the best system and the baseline disagree."""

from itertools import permutations

from cqa_spark.reports.queries import MeasuredQueries, PostText, QuerySummary
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


# Queries are summarised one by one, in any order.

EVEN = MeasuredQuery("s", "even", "", 2, 1, 1.0, 1.0)
BETTER = MeasuredQuery("s", "better", "", 2, 1, 1.0, 0.5)
WORSE = MeasuredQuery("s", "worse", "", 2, 1, 0.25, 0.3125)
UNANSWERABLE = MeasuredQuery("s", "unanswerable", "", 2, 0, 0.0, 0.0)
UNMEASURED = MeasuredQuery("s", "unmeasured", "", 2, 1, None, None)
WITHOUT_BASELINE = MeasuredQuery("s", "without baseline", "", 2, 1, 0.25, None)


def summarised(*queries: MeasuredQuery, each: int) -> MeasuredQueries:
    summary = QuerySummary(each)
    assert list(summary.of(queries)) == list(queries)
    return summary.result()


def test_best_and_worst_queries_and_the_steps_between_systems_in_any_order() -> None:
    expected = MeasuredQueries(
        steps=((0.5, 1), (0.0, 2), (-0.063, 1)),  # half a thousandth is rounded away from zero
        best=(BETTER, EVEN),
        worst=(WORSE, WITHOUT_BASELINE),
        gained=(BETTER,),
        lost=(WORSE,),
        unanswerable=1,
    )
    queries = (EVEN, BETTER, WORSE, UNANSWERABLE, UNMEASURED, WITHOUT_BASELINE)
    assert all(summarised(*order, each=2) == expected for order in permutations(queries))


def test_no_queries() -> None:
    assert summarised(each=3) == MeasuredQueries((), (), ())
