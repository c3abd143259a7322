"""What a night computes again is enough: over random edits, all other values and rankings stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from random_communities import edit, frames, invent

from cqa_spark.features.assembly import assemble, feature_names
from cqa_spark.features.change_impact import affected, changes, read_columns, within
from cqa_spark.features.feature_table import KEY, table_name
from cqa_spark.features.featurize import compute_outside_training, compute_values, fit_and_compute
from cqa_spark.features.group import FeatureGroup, Reach
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.rankers.rankings import rank

WORLDS = 60
AS_OF = [name for name in known_groups() if group_class(name).is_as_of]
OTHERS = [name for name in known_groups() if group_class(name).reach is not Reach.SITE and name not in AS_OF]


def as_read(tables: Mapping[str, DataFrame], groups: list[type[FeatureGroup]]) -> Mapping[str, DataFrame]:
    """The tables with the columns alone that the groups are declared to read: a group that reads others fails."""
    read = {table: read_columns(table, groups) for table in (POSTS, COMMENTS, USERS, VOTES, BADGES)}
    return {table.name: tables[table.name].select(*table.key, *columns) for table, columns in read.items()}


def inputs_of(tables: Mapping[str, DataFrame]) -> FeatureInputs:
    posts = tables[POSTS.name]
    spark = posts.sparkSession
    questions = posts.where("post_type = 'question'").select(
        "site", F.col("post_id").alias("query_id"), F.col("user_id").alias("asker_id"),
        F.col("created_at").alias("asked_at"),
    )  # fmt: skip
    answers = posts.where("post_type = 'answer'").select(
        "site", F.col("thread_id").alias("query_id"), F.col("post_id").alias("candidate_id"), "thread_id",
        F.col("user_id").alias("author_id"), F.col("created_at").alias("answered_at"),
    )  # fmt: skip
    examples = answers.join(questions, on=["site", "query_id"]).select(
        "*", F.lit("preferred_answer").alias("task"), F.col("query_id").alias("fold_key"),
        F.lit(1).alias("initial_rank"), F.lit("train").alias("split"),
    )  # fmt: skip
    return FeatureInputs(
        examples=EXAMPLES.complete(examples).localCheckpoint(),
        posts=posts,
        comments=tables[COMMENTS.name],
        documents=DOCUMENTS.empty(spark),
        texts=TEXTS.empty(spark),
        users=tables[USERS.name],
        votes=tables[VOTES.name],
        badges=tables[BADGES.name],
    )


@dataclass(frozen=True)
class Edited:
    """Communities before and after random edits, and what of them is to be computed again."""

    before: FeatureInputs  # with all columns, to learn from
    first: FeatureInputs
    second: FeatureInputs
    again: Mapping[Reach, DataFrame]


def edited(spark: SparkSession, groups: Sequence[str]) -> Edited:
    rng = Random(7)
    worlds = [invent(f"site{number}", rng) for number in range(WORLDS)]
    before = frames(spark, worlds)
    after = frames(spark, [edit(world, rng) for world in worlds])
    classes = [group_class(name) for name in groups]
    first, second = (inputs_of(as_read(tables, classes)) for tables in (before, after))
    versions = {name: (before[name], after[name]) for name in before}
    versions[EXAMPLES.name] = (first.examples, second.examples)
    changed = {name: rows.localCheckpoint() for name, rows in changes(versions, classes).items()}
    found = affected(changed, {name: after for name, (_, after) in versions.items()}, second.cut)
    keys = found.examples(second.examples).localCheckpoint()
    again = {
        reach: second.examples.join(within(reach, keys), list(EXAMPLES.key), "left_semi").localCheckpoint()
        for reach in (Reach.THREAD, Reach.HISTORY, Reach.AUTHOR)
    }
    return Edited(inputs_of(before), first, second, again)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [AS_OF, OTHERS], ids=["as of the cut", "as of the dump"])
def test_values_that_no_change_affects_are_the_same(spark: SparkSession, groups: list[str]) -> None:
    worlds = edited(spark, groups)
    counts = {reach: rows.count() for reach, rows in worlds.again.items()}
    # The test says something: much is left alone, and much is not.
    affected = [counts[reach] for reach in (Reach.THREAD, Reach.HISTORY, Reach.AUTHOR)]
    assert 50 < affected[0] < affected[1] < affected[2] < worlds.second.examples.count() - 50
    assert {name: wrong_values(name, worlds) for name in groups} == dict.fromkeys(groups, (0, 0))


@pytest.mark.slow
def test_questions_that_no_change_affects_keep_their_ranking(spark: SparkSession) -> None:
    """By scores that change with any value of any candidate."""
    groups = ["basic_a_asof_v1", "basic_u_asof_v1"]
    worlds = edited(spark, groups)
    fitted = [fit_and_compute(group_class(name), worlds.before, folds=2)[0] for name in groups]
    before, after = (rankings_of(fitted, inputs) for inputs in (worlds.first, worlds.second))
    affected_queries = worlds.again[Reach.HISTORY].select(*QUERY).distinct()
    kept = worlds.second.examples.select(*QUERY).distinct().join(affected_queries, list(QUERY), "left_anti")
    standing = before.join(kept, list(QUERY), "left_semi")
    computed = after.join(kept, list(QUERY), "left_semi")
    assert kept.count() > 50
    assert standing.exceptAll(computed).count() + computed.exceptAll(standing).count() == 0
    # A night keeps what stands and ranks the rest: together that is what ranking everything gives.
    ranked_again = after.join(affected_queries, list(QUERY), "left_semi")
    assert after.exceptAll(RANKINGS.conform(standing.unionByName(ranked_again))).isEmpty()


def rankings_of(groups: Sequence[FeatureGroup], inputs: FeatureInputs) -> DataFrame:
    names = [group.name for group in groups]
    shared = {table_name(group.place): compute_outside_training({group.name: group}, inputs) for group in groups}
    frame = assemble(inputs.examples, names, shared)
    values = feature_names(names)
    scored = frame.withColumn("score", F.hash(*values).cast("double")).withColumn("predicted", F.lit(False))
    return rank(scored, "by_all_values", run_id="any").localCheckpoint()


def wrong_values(name: str, worlds: Edited) -> tuple[int, int]:
    """The number of examples that are not computed again and yet have another value than before; and of those that have
    another value when only what is computed again is looked at.
    """
    group, _ = fit_and_compute(group_class(name), worlds.before, folds=2)
    key, examples = list(KEY), worlds.again[group.reach]
    again = examples.select(*key)
    kept = worlds.second.examples.select(*key).join(again, key, "left_anti")
    content = F.hash(*[column.name for column in group.columns])  # beside the nulls, which a hash passes over
    known = F.concat(*[F.col(column.name).isNull().cast("int") for column in group.columns])

    def contents(inputs: FeatureInputs) -> DataFrame:
        values = compute_values(group, inputs)
        return values.select(*key, content.alias("content"), known.alias("known")).localCheckpoint()

    before, now = contents(worlds.first), contents(worlds.second)
    few = contents(replace(worlds.second, examples=examples, few=True))
    return (
        differences(before.join(kept, key, "left_semi"), now.join(kept, key, "left_semi")),
        differences(few, now.join(again, key, "left_semi")),
    )


def differences(one: DataFrame, other: DataFrame) -> int:
    return one.exceptAll(other).count() + other.exceptAll(one).count()
