"""The rule for what is served."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.statistics.clusters import paired_difference
from cqa_spark.evaluation.statistics.served_order import (
    SPREAD,
    UNKNOWN,
    Choice,
    Difference,
    Evidence,
    choose,
    expect,
    weigh,
)
from cqa_spark.systems.shipped_models import shipped_card

SYSTEM, VOTES, OLDEST = "system", "votes", "oldest"


def surely(value: float) -> Evidence:
    return Evidence(UNKNOWN, UNKNOWN, Difference(value, 0.01))


BETTER, WORSE = surely(0.03), surely(-0.03)
UNCLEAR = Evidence(UNKNOWN, UNKNOWN, Difference(-0.03, 0.02))


def nights(*evidence: Evidence) -> list[str]:
    """What successive nights serve, with one difference each."""
    choices: list[Choice] = []
    for each in evidence:
        choices.append(choose(SYSTEM, {VOTES: each}, choices[-1] if choices else None))
    return [choice.served for choice in choices]


def test_own_nights_and_what_other_sites_let_expect_are_weighted_by_their_precision() -> None:
    own, others, both = weigh(Difference(-0.2, 0.05, 40), [Difference(0.03, 0.01)] * 4)
    assert own == (-0.2, 0.05, 40)
    error = np.sqrt(SPREAD**2 + (SPREAD**2 + 0.01**2) / 4)
    assert others == pytest.approx((0.03, error, 0))
    precision = 1 / 0.05**2 + 1 / error**2
    assert both == pytest.approx(((-0.2 / 0.05**2 + 0.03 / error**2) / precision, precision**-0.5, 40))


def test_sites_that_lie_far_apart_let_expect_little() -> None:
    """DerSimonian and Laird by hand: Q = 128 and C = 20,000 - 1e8 * 2 / 20,000 = 10,000."""
    found = expect([Difference(-0.08, 0.01), Difference(0.08, 0.01)])
    assert found == pytest.approx((0.0, np.sqrt(0.0127 + 0.0128 / 2), 0))
    assert expect([Difference(0.02, 0.01)]) == pytest.approx((0.02, np.sqrt(0.01 + 0.01 + 0.0001), 0))
    assert expect([Difference(1.0, np.inf)]) == UNKNOWN


def test_few_threads_of_its_own_decide_nothing() -> None:
    nine, ten = (weigh(Difference(-1.0, 0.17, threads), []) for threads in (9, 10))
    assert (nine.own.error, nine.both) == (np.inf, UNKNOWN)
    assert choose(SYSTEM, {VOTES: nine}, None).served == SYSTEM
    assert choose(SYSTEM, {VOTES: ten}, None).served == VOTES


def test_a_simple_order_is_served_where_the_system_is_surely_worse() -> None:
    assert nights(WORSE) == [VOTES]
    assert nights(UNCLEAR) == [SYSTEM]
    assert nights(BETTER) == [SYSTEM]


def test_the_best_of_all_simple_orders_is_served() -> None:
    """A site whose askers accept the answer with the fewest votes: only the oldest first is better than the system."""
    evidence = {VOTES: surely(0.05), OLDEST: surely(-0.38), "longest": surely(-0.1)}
    choice = choose(SYSTEM, evidence, None)
    assert (choice.served, choice.rival, choice.evidence.both.value) == (OLDEST, OLDEST, -0.38)
    assert choose(SYSTEM, {VOTES: UNCLEAR, OLDEST: surely(-0.021)}, None).served == OLDEST


def test_a_site_unlike_all_others_is_noticed() -> None:
    """Its askers accept what nobody votes for: the system is right in 7 of 100 threads, the oldest first in 45.

    The other sites are those of the shipped model, on which the system gains 35 points over the oldest.
    """
    card = shipped_card("night_answers")
    assert card is not None
    gains = np.array([1.0] * 2 + [-1.0] * 40 + [0.0] * 58)
    own = paired_difference(gains, np.arange(100))
    others = [
        Difference(row.difference, row.error, row.threads)
        for row in card.by_site
        if (row.band, row.order) == ("1-2 days", OLDEST)
    ]
    evidence = weigh(Difference(own.value, own.error, own.clusters), others)
    assert evidence.others.value == pytest.approx(0.35, abs=0.01)
    assert choose(SYSTEM, {OLDEST: evidence, VOTES: surely(0.0)}, None).served == OLDEST


def test_the_rival_of_a_system_that_is_served_is_the_best_simple_order() -> None:
    assert choose(SYSTEM, {OLDEST: surely(0.3), VOTES: BETTER}, None).rival == VOTES


def test_the_order_changes_when_three_nights_agree() -> None:
    assert nights(BETTER, WORSE, WORSE, WORSE, WORSE) == [*[SYSTEM] * 3, *[VOTES] * 2]
    assert nights(BETTER, WORSE, WORSE, BETTER, WORSE, WORSE) == [SYSTEM] * 6
    assert nights(WORSE, UNCLEAR, BETTER, UNCLEAR) == [*[VOTES] * 3, SYSTEM]


@given(st.lists(st.sampled_from([BETTER, WORSE, UNCLEAR]), min_size=1, max_size=30))
def test_two_changes_are_three_nights_apart(evidence: list[Evidence]) -> None:
    served = nights(*evidence)
    changes = [night for night in range(1, len(served)) if served[night] != served[night - 1]]
    assert all(later - earlier >= 3 for earlier, later in pairwise(changes))


@given(
    st.floats(-1, 1), st.lists(st.tuples(st.floats(-1, 1), st.floats(0.001, 0.5)), max_size=8), st.floats(0.001, 0.5)
)
def test_both_lies_between_the_site_and_the_others(
    value: float, sites: list[tuple[float, float]], error: float
) -> None:
    own, others, both = weigh(Difference(value, error, 50), [Difference(*site) for site in sites])
    bounds = [own.value, others.value] if sites else [own.value]
    assert min(bounds) - 1e-9 <= both.value <= max(bounds) + 1e-9
    assert both.error <= min(own.error, others.error) + 1e-9
