"""Checks whether the system is worse than last night, on the replayed nights that both runs measured."""

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_differs, nothing_to_compare, reads, too_few
from cqa_spark.evaluation.statistics.clusters import FEWEST
from cqa_spark.evaluation.statistics.nights import compare_nights
from cqa_spark.lake.schemas.metrics import QUERY_METRICS, of_systems
from cqa_spark.settings.sections import CheckSettings

NAME = "night drop"
"""Name of the check."""


@reads(QUERY_METRICS)
def night_drop(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """How far below 0 the 95 % interval of the difference of P@1 ends, tonight minus last night.

    The system is compared with itself, whichever order was served. Errors are by thread.
    """
    pair = review.both(QUERY_METRICS)
    if pair is None:
        return nothing_to_compare(NAME, limits.max_metric_drop)
    if QUERY_METRICS.name in review.same:
        return nothing_differs(NAME, limits.max_metric_drop)
    last, now = (of_systems(queries, [review.system]) for queries in pair)
    compared = compare_nights({"last": last, "now": now})
    if not compared:
        return nothing_to_compare(NAME, limits.max_metric_drop)
    test = compared[1]
    nights = f"{test['queries']:,} common nights of {test['topics']:,} threads"
    reason, high = f"P@1 on {nights}: {100 * test['difference']:+.2f} points", test["difference_high"]
    if test["topics"] < FEWEST:
        return too_few(NAME, limits.max_metric_drop, reason)
    drop, reason = max(0.0, -high), f"{reason}, at most {100 * high:+.2f}"
    return Verdict(NAME, drop <= limits.max_metric_drop, drop, limits.max_metric_drop, reason)
