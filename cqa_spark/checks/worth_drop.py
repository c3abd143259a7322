"""Checks whether the system gains less over the simple order than when its model was trained."""

import math

from cqa_spark.checks.check import RunUnderReview, Verdict, reads, too_few
from cqa_spark.evaluation.statistics.clusters import FEWEST, in_points
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, WHEN_TRAINED, Worth, of_population, worth_of
from cqa_spark.settings.sections import CheckSettings

NAME = "worth drop"
"""Name of the check."""


@reads(METRICS, COMPARISONS)
def worth_drop(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """How far the gain has fallen since the model was trained, at least: by the 95 % interval of the drop.

    The reference does not move from night to night, so that a slow drift adds up. The system is compared with the same
    simple order by the same measure, whichever order is served.

    Source:
        The interval of a difference from the intervals of two estimates (Zou and Donner 2008, Statistics in Medicine
        27, 1693-1702). Threads that are in both make it wider than need be.
    """
    limit = limits.max_worth_drop
    tonight, trained = _worth(review, None), _worth(review, WHEN_TRAINED)
    if tonight is None or trained is None or _about(tonight) != _about(trained):
        return Verdict(NAME, True, None, limit, f"no labels tell what {review.system} is and was worth")
    gains = f"{tonight.measure} over the simple order: {_gain(tonight)}; when the model was trained, {_gain(trained)}"
    if min(tonight.threads, trained.threads) < FEWEST:
        return too_few(NAME, limit, gains)
    upper = math.hypot(tonight.high_difference - tonight.difference, trained.difference - trained.low_difference)
    drop = max(0.0, trained.difference - tonight.difference - upper)
    return Verdict(NAME, drop <= limit, drop, limit, gains)


def _worth(review: RunUnderReview, population: str | None) -> Worth | None:
    """The worth of the system, by the measure that orders systems if it is there."""
    trained = of_population(review.entries.get(COMPARISONS.name, ()), WHEN_TRAINED)
    baseline = next((test["baseline"] for test in trained), None)
    # Both populations as all queries of their split, so that their splits can be compared.
    metrics, comparisons = (
        [{**entry, "population": None} for entry in of_population(review.entries.get(table.name, ()), population)]
        for table in (METRICS, COMPARISONS)
    )
    rows = [row for row in worth_of(metrics, comparisons, baseline) if row.order == review.system]
    return min(rows, key=lambda row: row.measure != review.measure, default=None)


def _about(worth: Worth) -> tuple[str, str]:
    return worth.population, worth.measure


def _gain(worth: Worth) -> str:
    gain = in_points(worth.difference, worth.low_difference, worth.high_difference)
    return f"{gain} on {worth.threads:,} threads"
