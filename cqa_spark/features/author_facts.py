"""Facts about authors that feature groups learn, and the people that they are about.

Facts about all authors grow with the community, so they stay in Spark and are joined to the examples of the authors'
candidates; a batch gets one struct per example and group.

A person is identified across files that use different account ids. In the SemEval-2016 files, some users with small ids
have a different id in the test set, and their old id belongs to another user. Names do not change. A name therefore
takes precedence over an id; ids identify only users without a known name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.training_data import LEARNED_FROM, TrainingData
from cqa_spark.spark.frames import persist


@dataclass(frozen=True)
class AuthorFacts:
    """The facts of a group about authors.

    Attributes:
        of_people: one row per alias: ``site``, ``alias``, ``person``, ``named`` (whether the person's name is known),
            and the facts.
        in_threads: the share of the facts from one thread and its copies, for groups that exclude an example's own
            thread: ``site``, ``person``, ``first_copy`` (the thread that the others repeat), and the columns.
    """

    of_people: DataFrame
    in_threads: DataFrame | None = None


def with_facts(examples: DataFrame, facts: Mapping[str, AuthorFacts], inputs: FeatureInputs) -> DataFrame:
    """Add the groups' facts about the candidates' authors.

    An author is found by name, else by id where the candidate has no name or no name was known for that id.

    Args:
        examples: with ``account``, the candidate's author; null unless that is one known person.
        facts: by group.
        inputs: the tables with the authors of comments and the repeats of threads.

    Returns:
        The examples with ``facts``, a struct with one struct per group, null without facts. If the group has
        ``in_threads``, its struct contains them in the field ``here``.
    """
    if not facts:
        return examples
    # The facts of all groups: one row per alias, with a struct for each group.
    by_alias: list[DataFrame] = []
    for group, of_group in facts.items():
        names = _without(of_group.of_people, "site", "alias")
        by_alias.append(of_group.of_people.select("site", "alias", F.struct(*names).alias(group)))
    people = reduce(lambda rows, more: rows.join(more, on=["site", "alias"], how="full"), by_alias)

    user_names = inputs.comments.select("site", F.col("comment_id").alias("candidate_id"), "user_name")
    joined = examples.join(user_names, on=["site", "candidate_id"], how="left").withColumns(
        {"by_name": by_name("user_name"), "by_id": by_id("account")}
    )
    for alias in ("by_name", "by_id"):
        of_alias = people.select("site", F.col("alias").alias(alias), F.struct(*facts).alias(f"facts_{alias}"))
        joined = joined.join(of_alias, on=["site", alias], how="left")
    columns = [F.col(name) for name in examples.columns]
    for group in facts:
        # An id belongs to the candidate's author unless its owner has another name than the candidate.
        id_is_free = F.col("user_name").isNull() | ~F.col(f"facts_by_id.{group}.named")
        by_id_if_free = F.when(id_is_free, F.col(f"facts_by_id.{group}"))
        columns.append(F.coalesce(F.col(f"facts_by_name.{group}"), by_id_if_free).alias(group))
    with_facts = joined.select(*columns)
    for group, of_group in facts.items():
        if of_group.in_threads is not None:
            with_facts = _with_thread(with_facts, group, of_group.in_threads, inputs)
    return with_facts.select(*examples.columns, F.struct(*facts).alias("facts"))


def _with_thread(with_facts: DataFrame, group: str, in_threads: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Add ``here`` to a group's facts: their share from the candidate's thread and its copies."""
    first_copies = inputs.posts.where("post_type = 'question'").selectExpr(
        "site", "post_id AS thread_id", "coalesce(same_as, post_id) AS first_copy"
    )
    keys = ("site", "person", "first_copy")
    here = in_threads.select(*keys, F.struct(*_without(in_threads, *keys)).alias("here"))
    with_keys = with_facts.withColumn("person", F.col(f"{group}.person")).join(
        first_copies, on=["site", "thread_id"], how="left"
    )
    joined = with_keys.join(here, on=list(keys), how="left")
    return joined.withColumn(group, F.col(group).withField("here", F.col("here"))).drop("person", "first_copy", "here")


def _without(rows: DataFrame, *keys: str) -> list[str]:
    return [name for name in rows.columns if name not in keys]


# People and their aliases.

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
    is_shared = [(F.col(site) == host) & F.col(account).isin(*ids) for host, ids in SHARED_ACCOUNTS.items()]
    if name:
        is_shared += [(F.col(site) == host) & F.col(name).isin(*names) for host, names in SHARED_NAMES.items()]
    return F.when(reduce(or_, is_shared), F.lit(None)).otherwise(F.col(account))


def same_person(first: str, second: str) -> Column:
    """Whether two columns of ``person`` are equal; false if either is null."""
    return F.coalesce(F.col(first) == F.col(second), F.lit(False))


def known_names(training: TrainingData) -> DataFrame:
    """The names of the accounts, as ``names_by_account`` gives them, persisted."""
    return persist(names_by_account(training.inputs))


def names_by_account(inputs: FeatureInputs) -> DataFrame:
    """The name of each account: ``site``, ``account``, ``known_name``; if it has several, the alphabetically first."""
    named = [
        table.where(F.col("split").isin(*LEARNED_FROM) & F.col("user_name").isNotNull()).select(
            "site", person("site", "user_id", "user_name").alias("account"), "user_name"
        )
        for table in (inputs.posts, inputs.comments)
    ]
    accounts = named[0].unionByName(named[1]).where(F.col("account").isNotNull())
    return accounts.groupBy("site", "account").agg(F.min(F.lower("user_name")).alias("known_name"))


def with_person(rows: DataFrame, names: DataFrame) -> DataFrame:
    """Add the column ``person`` to rows of the training part.

    Args:
        rows: rows with ``site``, ``user_id`` and ``user_name``, of files that agree on ids.
        names: which name an id has, as ``names_by_account`` gives it.

    Returns:
        The rows whose author is one known person. ``person`` is the alias by name if any row of that id has a name,
        else the alias by id.
    """
    accounts = rows.withColumn("account", person("site", "user_id", "user_name")).where(F.col("account").isNotNull())
    named = accounts.join(names, on=["site", "account"], how="left")
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


def aliases_of(tables: Iterable[DataFrame], users: Sequence[str]) -> list[str]:
    """All aliases of some users of a site, few enough to hold.

    Args:
        tables: posts and comments of the site: ``user_id`` and ``user_name``.
        users: ids of the users.
    """
    aliases = [
        rows.where(F.col("user_id").isin(*users)).select(F.explode(F.array(by_id("user_id"), by_name("user_name"))))
        for rows in tables
    ]
    known_aliases = reduce(DataFrame.union, aliases).toDF("alias").where("alias IS NOT NULL")
    return [row["alias"] for row in known_aliases.distinct().collect()]


def by_name(name: str) -> Column:
    """The alias of a person by name; null without a name."""
    return F.concat(F.lit("name:"), F.lower(name))


def by_id(account: str) -> Column:
    """The alias of a person by account id; null without an id."""
    return F.concat(F.lit("id:"), F.col(account))
