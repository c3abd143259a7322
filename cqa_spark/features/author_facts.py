"""Joins facts about authors, which feature groups have learned, to the examples of the authors' candidates.

Facts about all authors grow with the community, so they stay in Spark. A batch gets one struct per example and group.
"""

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
    """The facts of all groups, joined: one row per alias."""
    by_group = [
        each.of_people.select(*_ALIAS, F.struct(*_others(each.of_people, *_ALIAS)).alias(name))
        for name, each in facts.items()
    ]
    return reduce(lambda one, other: one.join(other, on=list(_ALIAS), how="full"), by_group)


def _chosen(group: str) -> Column:
    """The facts found by name, else those found by id if the id has no other owner."""
    id_is_free = F.col("user_name").isNull() | ~F.col(f"found_by_id.{group}.named")
    return F.coalesce(F.col(f"found_by_name.{group}"), F.when(id_is_free, F.col(f"found_by_id.{group}")))


def _with_thread(known: DataFrame, group: str, in_threads: DataFrame, inputs: FeatureInputs) -> DataFrame:
    """Add ``here`` to a group's facts: their share from the candidate's thread and its copies."""
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
