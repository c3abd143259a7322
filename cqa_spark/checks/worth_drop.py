"""Checks whether the system gains less over the simple order than when its model was trained."""

import math

from cqa_spark.checks.check import RunUnderReview, Verdict, reads, too_few
from cqa_spark.evaluation.statistics.clusters import FEWEST
from cqa_spark.lake.schemas.night import NIGHT_WORTH, TRAINED_WORTH, Worth
from cqa_spark.settings.sections import CheckSettings

NAME = "worth drop"
"""Name of the check."""


@reads(NIGHT_WORTH, TRAINED_WORTH)
def worth_drop(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """How far the gain has fallen since the model was trained, at least: by the 95 % interval of the drop.

    The reference does not move from night to night, so that a slow drift adds up. The system is compared with the same
    simple order by the same measure, whichever order is served.

    Source:
        The interval of a difference from the intervals of two estimates (Zou and Donner 2008, Statistics in Medicine
        27, 1693-1702). Threads that are in both make it wider than need be.
    """
    limit = limits.max_worth_drop
    tonight, trained = _first(review, NIGHT_WORTH.name), _first(review, TRAINED_WORTH.name)
    if tonight is None or trained is None or _about(tonight) != _about(trained):
        return Verdict(NAME, True, None, limit, f"no labels tell what {review.system} is and was worth")
    gains = f"{tonight.measure} over the simple order: {_gain(tonight)}; when the model was trained, {_gain(trained)}"
    if min(tonight.threads, trained.threads) < FEWEST:
        return too_few(NAME, limit, gains)
    upper = math.hypot(tonight.high_difference - tonight.difference, trained.difference - trained.low_difference)
    drop = max(0.0, trained.difference - tonight.difference - upper)
    return Verdict(NAME, drop <= limit, drop, limit, gains)


def _first(review: RunUnderReview, table: str) -> Worth | None:
    """The worth of the system over all nights, by the most important measure."""
    rows = (Worth(**entry) for entry in review.entries.get(table, ()))
    return next((worth for worth in rows if worth.order == review.system), None)


def _about(worth: Worth) -> tuple[str, str, str]:
    return worth.population, worth.band, worth.measure


def _gain(worth: Worth) -> str:
    low, high = 100 * worth.low_difference, 100 * worth.high_difference
    return f"{100 * worth.difference:+.1f} points ({low:+.1f} to {high:+.1f}) on {worth.threads:,} threads"
