"""Checks for tables that shrank or grew too much since the published run."""

import math

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_differs, nothing_to_compare, reads
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.settings.sections import CheckSettings

COUNTED = (POSTS, COMMENTS, USERS, VOTES, BADGES, EXAMPLES)


@reads(*COUNTED)
def row_counts(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The table that changed most, relative to the limit for growth or shrinkage."""
    differences = review.differing(COUNTED)
    sizes = [(name, last.rows, now.rows) for name, (last, now) in differences.items()]
    changes = [(name, before, after, after / before - 1) for name, before, after in sizes if before]
    if not changes:
        verdict = nothing_differs if review.same else nothing_to_compare
        return verdict("row counts", limits.max_row_loss)

    def limit(change: float) -> float:
        return limits.max_row_growth if change > 0 else limits.max_row_loss

    def share_of_limit(change: float) -> float:
        if not change:
            return 0
        return abs(change) / limit(change) if limit(change) else math.inf

    name, before, after, change = max(changes, key=lambda each: share_of_limit(each[3]))
    passed = abs(change) <= limit(change)
    return Verdict("row counts", passed, abs(change), limit(change), f"{name}: {before:,} rows, now {after:,}")
