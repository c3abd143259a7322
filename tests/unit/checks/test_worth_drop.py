"""The check of a night's worth against that of when the model was trained, on literal rows."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from cqa_spark.checks.check import RunUnderReview, Verdict
from cqa_spark.checks.worth_drop import worth_drop
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, WHEN_TRAINED, Worth
from cqa_spark.settings.sections import CheckSettings

TRAINED = Worth("mine", "nights", "all", "P@1", 0.75, 0.7, 0.8, 0.10, 0.06, 0.13, 0.003, 900, 400)
SIMPLE = replace(TRAINED, order="simple", value=0.65, difference=0.0, low_difference=0.0, high_difference=0.0)
WORSE = replace(TRAINED, difference=-0.02, low_difference=-0.05, high_difference=0.01, threads=300)
"""0.12 below ``TRAINED``, of which the interval, whose half is that of 0.04 and 0.03, leaves 0.07."""


def verdict(tonight: list[Worth], trained: list[Worth], limit: float = 0.05) -> Verdict:
    entries: dict[str, list[Entry]] = {METRICS.name: [], COMPARISONS.name: []}
    for population, rows in ((None, tonight), (WHEN_TRAINED, trained)):
        for row in rows:
            about = {"system": row.order, "split": row.population, "measure": row.measure, "population": population}
            metric = {"value": row.value, "low": row.low, "high": row.high, "queries": row.nights}
            entries[METRICS.name].append({**about, **metric, "topics": row.threads})
            if row.order != "simple":
                bounds = {"difference_low": row.low_difference, "difference_high": row.high_difference}
                test = {"baseline": "simple", "difference": row.difference, **bounds, "p_value": row.p_value}
                entries[COMPARISONS.name].append({**about, **test})
    return worth_drop(RunUnderReview({}, {}, "mine", "P@1", entries), CheckSettings(max_worth_drop=limit))


def test_a_drop_counts_as_far_as_the_intervals_leave_it_certain() -> None:
    found = verdict([SIMPLE, WORSE], [TRAINED])
    assert found == Verdict(
        "worth drop", False, pytest.approx(0.07), 0.05,
        "P@1 over the simple order: -2.0 points [-5.0, +1.0] on 300 threads; when the model was trained, "
        "+10.0 points [+6.0, +13.0] on 400 threads",
    )  # fmt: skip
    assert verdict([SIMPLE, WORSE], [TRAINED], limit=0.08).passed


@pytest.mark.parametrize(("limit", "passed"), [(0.2499, False), (0.25, True), (0.2501, True)])
def test_a_drop_at_the_limit_and_a_step_beside_it(limit: float, passed: bool) -> None:
    trained = replace(TRAINED, difference=0.5, low_difference=0.5 - 0.09375, high_difference=0.625)
    tonight = replace(TRAINED, difference=0.09375, low_difference=0.0, high_difference=0.21875)
    found = verdict([tonight], [trained], limit)  # the half of the interval is that of 0.09375 and 0.125: 0.15625
    assert (found.passed, found.measured) == (passed, 0.25)


def test_no_drop_is_none() -> None:
    for tonight in (TRAINED, replace(TRAINED, difference=0.3, low_difference=0.2, high_difference=0.4)):
        assert (verdict([tonight], [TRAINED]).passed, verdict([tonight], [TRAINED]).measured) == (True, 0.0)


def test_a_slow_drift_adds_up() -> None:
    """Every night is 0.01 below the last: none of them is certainly worse than the one before."""
    nights = [
        replace(TRAINED, difference=0.1 - step, low_difference=0.06 - step, high_difference=0.13 - step)
        for step in np.arange(20) / 100
    ]
    assert all(verdict([tonight], [last]).measured == 0 for last, tonight in pairwise(nights))
    passed = [verdict([tonight], [TRAINED], limit=0.055).passed for tonight in nights]
    assert passed == [True] * 11 + [False] * 9


def test_too_few_nights_pass_and_say_so() -> None:
    few = replace(WORSE, threads=9)
    for found in (verdict([few], [TRAINED]), verdict([TRAINED], [few])):
        assert (found.passed, found.measured) == (True, None)
        assert found.reason.startswith("too few to tell (fewer than 10): P@1 over the simple order: ")


def test_the_measure_that_orders_systems_is_compared_if_both_have_it() -> None:
    other = replace(WORSE, measure="MAP@10", difference=0.1, low_difference=0.06, high_difference=0.13)
    assert verdict([other, WORSE], [replace(TRAINED, measure="MAP@10"), TRAINED]).measured == pytest.approx(0.07)
    assert verdict([other], [replace(TRAINED, measure="MAP@10")]).measured == 0.0


def test_what_was_not_measured_passes_and_says_so() -> None:
    other = replace(TRAINED, measure="MAP@10")
    for tonight, trained in (([], [TRAINED]), ([SIMPLE], [TRAINED]), ([WORSE], []), ([WORSE], [other])):
        found = verdict(tonight, trained)
        assert (found.passed, found.measured, found.reason) == (True, None, "no labels tell what mine is and was worth")
