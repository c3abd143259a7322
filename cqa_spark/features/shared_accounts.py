"""Authors as persons; accounts shared by many people are excluded."""

from __future__ import annotations

from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as F

SHARED_ACCOUNTS = {"qatarliving.com": ("U2",)}
"""Shared accounts by site, such as Qatar Living's anonymous user."""

SHARED_NAMES = {"qatarliving.com": ("anonymous",)}
"""Names of shared accounts by site, for files with other account ids."""


def person(site: str, account: str, name: str | None = None) -> Column:
    """The account's id if it belongs to one person; null if it is shared or unknown.

    Args:
        site: name of the column with the site.
        account: name of the column with the account's id.
        name: name of the column with the account's name, if there is one.
    """
    shared = [(F.col(site) == where) & F.col(account).isin(*ids) for where, ids in SHARED_ACCOUNTS.items()]
    if name:
        shared += [(F.col(site) == where) & F.col(name).isin(*names) for where, names in SHARED_NAMES.items()]
    return F.when(reduce(or_, shared), F.lit(None)).otherwise(F.col(account))


def same_person(one: str, other: str) -> Column:
    """Whether two columns of ``person`` are equal; false if either is null."""
    return F.coalesce(F.col(one) == F.col(other), F.lit(False))
