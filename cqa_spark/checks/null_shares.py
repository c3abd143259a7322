"""Checks for columns with more nulls than in the published run."""

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_differs, nothing_to_compare, reads
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.settings.dumps import PEOPLE_COLUMNS
from cqa_spark.settings.sections import CheckSettings

LOOKED_AT = (POSTS, COMMENTS, USERS, VOTES, BADGES)


@reads(*LOOKED_AT)
def null_shares(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The column whose share of nulls increased most; columns about people are null or not by a setting."""
    rises: list[tuple[float, str]] = []
    for table, (last, now) in review.differing(LOOKED_AT).items():
        shares_now = now.null_shares()
        for name, before in last.null_shares().items():
            column = f"{table}.{name}"
            if name in shares_now and column not in PEOPLE_COLUMNS:
                after = shares_now[name]
                rises.append((after - before, f"{column}: {before:.1%} unknown, now {after:.1%}"))
    if not rises:
        verdict = nothing_differs if review.same else nothing_to_compare
        return verdict("unknown values", limits.max_null_rise)
    rise, reason = max(rises)
    return Verdict("unknown values", rise <= limits.max_null_rise, rise, limits.max_null_rise, reason)
