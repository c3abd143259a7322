"""Who wrote something: accounts that many people share say nothing about a person."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

SHARED_ACCOUNTS = {"qatarliving.com": ("U2",)}
"""By site: accounts that stand for anybody, such as Qatar Living's anonymous user."""


def person(site: str, account: str) -> Column:
    """The account's id where it stands for one person; null where it is shared or not known.

    Args:
        site: name of the column that holds the site.
        account: name of the column that holds the account's id.
    """
    shared = [(F.col(site) == where) & F.col(account).isin(*ids) for where, ids in SHARED_ACCOUNTS.items()]
    condition = shared[0]
    for another in shared[1:]:
        condition = condition | another
    return F.when(condition, F.lit(None)).otherwise(F.col(account))


def same_person(one: str, other: str) -> Column:
    """Whether two columns of ``person`` name the same one: false where either is not known."""
    return F.coalesce(F.col(one) == F.col(other), F.lit(False))
