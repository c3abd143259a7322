"""All checks, in display order."""

from __future__ import annotations

from cqa_spark.checks.check import Check
from cqa_spark.checks.complete_queries import complete_queries
from cqa_spark.checks.metric_drop import metric_drop
from cqa_spark.checks.null_shares import null_shares
from cqa_spark.checks.quarantine_share import quarantine_share
from cqa_spark.checks.rank_correlation import rank_correlation
from cqa_spark.checks.row_counts import row_counts
from cqa_spark.checks.score_drift import score_drift

CHECKS: tuple[Check, ...] = (
    quarantine_share,
    row_counts,
    null_shares,
    complete_queries,
    score_drift,
    rank_correlation,
    metric_drop,
)
