"""Brings what feature groups know of people to the examples whose candidates these people wrote.

What is known of all people grows with the community and stays in Spark; a batch gets a struct per example and group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.aliases import by_id, by_name
from cqa_spark.features.inputs import FeatureInputs

_ALIAS = ("site", "alias")


@dataclass(frozen=True)
class AuthorFacts:
    """What a group knows of people.

    Attributes:
        of_people: one row per alias: ``site``, ``alias``, ``person``, ``named`` (whether the person's name is known),
            and what is known.
        in_threads: what of it one thread and its repeats brought, for groups that leave an example's own thread out:
            ``site``, ``person``, ``first_copy`` (the thread that the others repeat), and the columns.
    """

    of_people: DataFrame
    in_threads: DataFrame | None = None


def with_facts(examples: DataFrame, facts: Mapping[str, AuthorFacts], inputs: FeatureInputs) -> DataFrame:
    """Add what groups know of the candidates' authors.

    An author is found by name, else by id where the candidate has no name or no name was known for that id.

    Args:
        examples: with ``account``, the candidate's author where that is one person.
        facts: by group.
        inputs: the tables that name the authors of comments, and the repeats of threads.

    Returns:
        The examples with ``facts``, a struct of a struct for each group, null where nothing is known. The struct of a
        group with ``in_threads`` has a field ``here`` for them.
    """
    if not facts:
        return examples
    names = inputs.comments.select("site", F.col("comment_id").alias("candidate_id"), "user_name")
    joined = examples.join(names, on=["site", "candidate_id"], how="left").withColumns(
        {"by_name": by_name("user_name"), "by_id": by_id("account")}
    )
    of_people = _of_people(facts)
    for alias in ("by_name", "by_id"):
        found = of_people.select("site", F.col("alias").alias(alias), F.struct(*facts).alias(f"found_{alias}"))
        joined = joined.join(found, on=["site", alias], how="left")
    known = joined.select(*examples.columns, *[_chosen(name).alias(name) for name in facts])
    for name, each in facts.items():
        if each.in_threads is not None:
            known = _with_thread(known, name, each.in_threads, inputs)
    return known.select(*examples.columns, F.struct(*facts).alias("facts"))


def _of_people(facts: Mapping[str, AuthorFacts]) -> DataFrame:
    """What all groups know, side by side: one row per alias."""
    by_group = [
        each.of_people.select(*_ALIAS, F.struct(*_others(each.of_people, *_ALIAS)).alias(name))
        for name, each in facts.items()
    ]
    return reduce(lambda one, other: one.join(other, on=list(_ALIAS), how="full"), by_group)


def _chosen(group: str) -> Column:
    """What was found by name, else by id if that is nobody else's."""
    id_is_free = F.col("user_name").isNull() | ~F.col(f"found_by_id.{group}.named")
    return F.coalesce(F.col(f"found_by_name.{group}"), F.when(id_is_free, F.col(f"found_by_id.{group}")))


def _with_thread(known: DataFrame, group: str, in_threads: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Add ``here`` to what a group knows: what the thread of the candidate, or one of its repeats, brought of it."""
    first_copies = inputs.posts.where("post_type = 'question'").selectExpr(
        "site", "post_id AS thread_id", "coalesce(same_as, post_id) AS first_copy"
    )
    keys = ("site", "person", "first_copy")
    here = in_threads.select(*keys, F.struct(*_others(in_threads, *keys)).alias("here"))
    with_keys = known.withColumn("person", F.col(f"{group}.person")).join(
        first_copies, on=["site", "thread_id"], how="left"
    )
    found = with_keys.join(here, on=list(keys), how="left")
    return found.withColumn(group, F.col(group).withField("here", F.col("here"))).drop("person", "first_copy", "here")


def _others(rows: DataFrame, *keys: str) -> list[str]:
    return [name for name in rows.columns if name not in keys]
