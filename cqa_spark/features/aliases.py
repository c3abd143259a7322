"""Aliases: identifies one person across files that use different account ids.

In the SemEval-2016 files, some users with small ids have a different id in the test set, and their old id belongs to
another user. Names do not change. A name therefore takes precedence over an id; ids identify only users without a
known name.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.training_data import LEARNED_FROM, TrainingData
from cqa_spark.spark.persistence import persist

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


def known_names(training: TrainingData) -> DataFrame:
    """The names of the accounts, as ``names_by_account`` gives them, persisted."""
    return persist(names_by_account(training.inputs))


def names_by_account(inputs: FeatureInputs) -> DataFrame:
    """The name of each account: ``site``, ``account``, ``known_name``; if it has several, the alphabetically first."""
    written = [
        table.where(F.col("split").isin(*LEARNED_FROM) & F.col("user_name").isNotNull()).select(
            "site", person("site", "user_id", "user_name").alias("account"), "user_name"
        )
        for table in (inputs.posts, inputs.comments)
    ]
    named = written[0].unionByName(written[1]).where(F.col("account").isNotNull())
    return named.groupBy("site", "account").agg(F.min(F.lower("user_name")).alias("known_name"))


def with_person(rows: DataFrame, names: DataFrame) -> DataFrame:
    """Add the column ``person`` to rows of the training part.

    Args:
        rows: rows with ``site``, ``user_id`` and ``user_name``, of files that agree on ids.
        names: which name an id has, as ``names_by_account`` gives it.

    Returns:
        The rows whose author is one known person. ``person`` is the alias by name if any row of that id has a name,
        else the alias by id.
    """
    known = rows.withColumn("account", person("site", "user_id", "user_name")).where(F.col("account").isNotNull())
    named = known.join(names, on=["site", "account"], how="left")
    return named.withColumn("person", F.coalesce(by_name("user_name"), by_name("known_name"), by_id("account"))).drop(
        "account", "known_name"
    )


def with_aliases(learned: DataFrame, names: DataFrame) -> DataFrame:
    """Add a row for every alias of a person, so that facts can be looked up by name or by id.

    Args:
        learned: rows with ``site`` and ``person``, one per person.
        names: which name an id has, as ``names_by_account`` gives it.

    Returns:
        The rows with ``alias``, one for the name and one for the id of a person; ``named`` is true if the person's
        name is known.
    """
    ids = names.select(
        "site", by_name("known_name").alias("person"), by_id("account").alias("alias"), F.lit(True).alias("named")
    )
    of_person = learned.select("*", F.col("person").alias("alias"), F.col("person").startswith("name:").alias("named"))
    of_account = learned.join(ids, on=["site", "person"], how="inner")
    return of_person.unionByName(of_account)


def aliases_of(written: Iterable[DataFrame], users: Sequence[str]) -> list[str]:
    """All aliases of some users of a site, few enough to hold.

    Args:
        written: what was written on the site: ``user_id`` and ``user_name``.
        users: ids of the users.
    """
    aliases = [
        rows.where(F.col("user_id").isin(*users)).select(F.explode(F.array(by_id("user_id"), by_name("user_name"))))
        for rows in written
    ]
    found = reduce(DataFrame.union, aliases).toDF("alias").where("alias IS NOT NULL")
    return [row["alias"] for row in found.distinct().collect()]


def by_name(name: str) -> Column:
    """The alias of a person by name; null without a name."""
    return F.concat(F.lit("name:"), F.lower(name))


def by_id(account: str) -> Column:
    """The alias of a person by account id; null without an id."""
    return F.concat(F.lit("id:"), F.col(account))
