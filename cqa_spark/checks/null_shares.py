"""Checks for columns with more nulls than before."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.checks.check import RunUnderReview, Verdict, nothing_differs, nothing_to_compare
from cqa_spark.config.check_settings import CheckSettings
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS

LOOKED_AT = (POSTS, COMMENTS, USERS, VOTES, BADGES)


def null_shares(review: RunUnderReview, limits: CheckSettings) -> Verdict:
    """The column whose share of nulls rose most."""
    rises = [
        (after[name] - share, f"{table}.{name}: {share:.1%} unknown, now {after[name]:.1%}")
        for table, pair in review.differing(LOOKED_AT).items()
        for before, after in [(_shares(pair[0]), _shares(pair[1]))]
        for name, share in before.items()
    ]
    if not rises:
        verdict = nothing_differs if review.same else nothing_to_compare
        return verdict("unknown values", limits.max_null_rise)
    rise, reason = max(rises)
    return Verdict("unknown values", rise <= limits.max_null_rise, rise, limits.max_null_rise, reason)


def _shares(frame: DataFrame) -> dict[str, float]:
    """The share of nulls by column; 0 for a table without rows."""
    shares = [F.avg(F.col(name).isNull().cast("double")).alias(name) for name in frame.columns]
    row = frame.agg(*shares).first()
    assert row is not None, "an aggregate has one row"
    return {name: row[name] or 0.0 for name in frame.columns}
