"""Checks the share of quarantined records."""

from cqa_spark.checks.check import RunUnderReview, Verdict, reads
from cqa_spark.corpora.accounting import check_accounting
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.settings.sections import CheckSettings


@reads(INGESTED_FILES)
def quarantine_share(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The share of quarantined records."""
    totals = check_accounting(review.entries[INGESTED_FILES.name])
    share = totals.rows_quarantined / max(1, totals.rows_in)
    reason = f"{totals.rows_quarantined:,} of {totals.rows_in:,} records"
    return Verdict("quarantine", share <= limits.max_quarantine_share, share, limits.max_quarantine_share, reason)
