"""Checks whether the ranking is significantly worse than the published one."""

from collections.abc import Sequence

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_to_compare, reads, too_few
from cqa_spark.evaluation.statistics.clusters import FEWEST
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import METRICS, of_population
from cqa_spark.settings.sections import CheckSettings

VALIDATION = "dev"


@reads(METRICS)
def metric_drop(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The measure's distance below the lower end of the published interval, on the dev split."""
    last = _measured(review.last_entries.get(METRICS.name, ()), review)
    now = _measured(review.entries.get(METRICS.name, ()), review)
    if last is None or now is None:
        return nothing_to_compare("metric drop", limits.max_metric_drop)
    drop = last["low"] - now["value"]
    reason = f"{review.measure}: {last['value']:.4f} [{last['low']:.4f}, {last['high']:.4f}], now {now['value']:.4f}"
    if min(last["queries"], now["queries"]) < FEWEST:
        return too_few("metric drop", limits.max_metric_drop, reason)
    return Verdict("metric drop", drop <= limits.max_metric_drop, max(0.0, drop), limits.max_metric_drop, reason)


def _measured(metrics: Sequence[Entry], review: RunUnderReview) -> Entry | None:
    wanted = (review.system, review.measure, VALIDATION)
    overall = of_population(metrics, None)
    return next((entry for entry in overall if (entry["system"], entry["measure"], entry["split"]) == wanted), None)
