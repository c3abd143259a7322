"""One person under several ids: who somebody is in files that number accounts in different ways.

In the SemEval-2016 files, users with a small id have another one in the test set, where the old id belongs to somebody
else; names stay the same. So a name counts more than an id, and an id counts only for people whose name is not known.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_texts import LEARNED_FROM
from cqa_spark.features.shared_accounts import person


def with_person(rows: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Add the column ``person`` to rows of the learned part.

    Args:
        rows: rows with ``site``, ``user_id`` and ``user_name``, of files that agree on ids.
        inputs: the tables that say which name an id has.

    Returns:
        The rows whose author is one known person; ``person`` is the alias by name where the name is known from any row
        of that id, else the alias by id.
    """
    known = rows.withColumn("account", person("site", "user_id", "user_name")).where(F.col("account").isNotNull())
    named = known.join(F.broadcast(names_by_account(inputs)), on=["site", "account"], how="left")
    return named.withColumn(
        "person", F.coalesce(_by_name("user_name"), _by_name("known_name"), _by_id("account"))
    ).drop("account", "known_name")


def names_by_account(inputs: FeatureInputs) -> DataFrame:
    """``site``, ``account`` and ``known_name``: the name of each id, the alphabetically first where it has several."""
    written = [
        table.where(F.col("split").isin(*LEARNED_FROM) & F.col("user_name").isNotNull()).select(
            "site", person("site", "user_id", "user_name").alias("account"), "user_name"
        )
        for table in (inputs.posts, inputs.comments)
    ]
    named = written[0].unionByName(written[1]).where(F.col("account").isNotNull())
    return named.groupBy("site", "account").agg(F.min(F.lower("user_name")).alias("known_name"))


def with_aliases(learned: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Let what was learned of people be found by every alias.

    Args:
        learned: rows with ``site`` and ``person``, one per person.
        inputs: the tables that say which name an id has.

    Returns:
        The rows with ``alias``, repeated where a person has a name and an id; ``named`` tells
        whether the person's name is known.
    """
    ids = names_by_account(inputs).select(
        "site", _by_name("known_name").alias("person"), _by_id("account").alias("alias"), F.lit(True).alias("named")
    )
    by_person = learned.select("*", F.col("person").alias("alias"), F.col("person").startswith("name:").alias("named"))
    by_id = learned.join(F.broadcast(ids), on=["site", "person"], how="inner")
    return by_person.unionByName(by_id)


def find_known(rows: DataFrame, learned: DataFrame) -> DataFrame:
    """Join what was learned of the author to rows of any file.

    Args:
        rows: rows with ``site``, ``user_id`` and ``user_name``.
        learned: what ``with_aliases`` gave.

    Returns:
        The rows whose author is one known person, with the columns learned, null for people who are new: found by name,
        else by id where the row has no name or no name was known for that id.
    """
    known = rows.withColumn("account", person("site", "user_id", "user_name")).where(F.col("account").isNotNull())
    values = [name for name in learned.columns if name not in ("site", "alias", "named")]
    found = F.struct("named", *values)
    by_name = learned.select("site", F.col("alias").alias("by_name"), found.alias("found_by_name"))
    by_id = learned.select("site", F.col("alias").alias("by_id"), found.alias("found_by_id"))
    joined = (
        known.withColumns({"by_name": _by_name("user_name"), "by_id": _by_id("account")})
        .join(by_name, on=["site", "by_name"], how="left")
        .join(by_id, on=["site", "by_id"], how="left")
    )
    id_is_free = F.col("user_name").isNull() | ~F.col("found_by_id.named")
    chosen = F.coalesce("found_by_name", F.when(id_is_free, F.col("found_by_id")))
    return joined.withColumn("found", chosen).select(*rows.columns, *[f"found.{name}" for name in values])


def _by_name(name: str) -> Column:
    return F.concat(F.lit("name:"), F.lower(name))


def _by_id(account: str) -> Column:
    return F.concat(F.lit("id:"), F.col(account))
