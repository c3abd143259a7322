"""The rule for what is served."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.served_order import Choice, Difference, Served, choose, pool

BETTER, WORSE = Difference(0.03, 0.01), Difference(-0.03, 0.01)
UNCLEAR = Difference(-0.03, 0.02)


def nights(*evidence: Difference) -> list[Served]:
    """What successive nights serve, with one difference each."""
    choices: list[Choice] = []
    for each in evidence:
        choices.append(choose([each], choices[-1] if choices else None))
    return [choice.served for choice in choices]


def test_differences_are_weighted_by_their_precision() -> None:
    assert pool([Difference(0.02, 0.01), Difference(-0.04, 0.02)]) == pytest.approx((0.008, 0.02 / np.sqrt(5)))


def test_one_thread_and_orders_that_always_agree_are_no_evidence() -> None:
    assert pool([]) == (0.0, np.inf)
    assert pool([Difference(0.0, 0.0), Difference(-1.0, np.inf)]) == (0.0, np.inf)
    assert pool([WORSE, Difference(1.0, np.inf)]) == pytest.approx(WORSE)
    assert choose([], None).served is Served.SYSTEM


def test_the_simple_order_is_served_where_the_system_is_surely_worse() -> None:
    assert nights(WORSE) == [Served.SIMPLE]
    assert nights(UNCLEAR) == [Served.SYSTEM]
    assert nights(BETTER) == [Served.SYSTEM]
    choice = choose([WORSE], None)
    assert (choice.low, choice.high) == pytest.approx((-0.0496, -0.0104), abs=1e-4)


def test_evidence_of_the_site_and_of_the_shipped_model_is_pooled() -> None:
    assert choose([Difference(-0.05, 0.02)], None).served is Served.SIMPLE
    assert choose([Difference(-0.05, 0.02), Difference(0.03, 0.01)], None).served is Served.SYSTEM


def test_the_order_changes_when_three_nights_agree() -> None:
    assert nights(BETTER, WORSE, WORSE, WORSE, WORSE) == [*[Served.SYSTEM] * 3, *[Served.SIMPLE] * 2]
    assert nights(BETTER, WORSE, WORSE, BETTER, WORSE, WORSE) == [Served.SYSTEM] * 6
    assert nights(WORSE, UNCLEAR, BETTER, UNCLEAR) == [*[Served.SIMPLE] * 3, Served.SYSTEM]


@given(st.lists(st.sampled_from([BETTER, WORSE, UNCLEAR]), min_size=1, max_size=30))
def test_two_changes_are_three_nights_apart(evidence: list[Difference]) -> None:
    served = nights(*evidence)
    changes = [night for night in range(1, len(served)) if served[night] is not served[night - 1]]
    assert all(later - earlier >= 3 for earlier, later in pairwise(changes))
