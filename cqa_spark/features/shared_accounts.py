"""Who wrote something: accounts that many people share say nothing about a person."""

from __future__ import annotations

from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as F

SHARED_ACCOUNTS = {"qatarliving.com": ("U2",)}
"""By site: accounts that stand for anybody, such as Qatar Living's anonymous user."""

SHARED_NAMES = {"qatarliving.com": ("anonymous",)}
"""By site: their names, for files that number accounts in another way."""


def person(site: str, account: str, name: str | None = None) -> Column:
    """The account's id where it stands for one person; null where it is shared or not known.

    Args:
        site: name of the column that holds the site.
        account: name of the column that holds the account's id.
        name: name of the column that holds the account's name, where the rows have one.
    """
    shared = [(F.col(site) == where) & F.col(account).isin(*ids) for where, ids in SHARED_ACCOUNTS.items()]
    if name:
        shared += [(F.col(site) == where) & F.col(name).isin(*names) for where, names in SHARED_NAMES.items()]
    return F.when(reduce(or_, shared), F.lit(None)).otherwise(F.col(account))


def same_person(one: str, other: str) -> Column:
    """Whether two columns of ``person`` name the same one: false where either is not known."""
    return F.coalesce(F.col(one) == F.col(other), F.lit(False))
