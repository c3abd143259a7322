"""What a night computes again is enough: over random edits, all other values and rankings stay as they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from random_communities import edit, frames, invent

from cqa_spark.features.assembly import assemble, feature_names
from cqa_spark.features.change_impact import affected_examples, threads_to_judge, within
from cqa_spark.features.changed_rows import COMMUNITY, by_table, changes, read_columns, together
from cqa_spark.features.feature_table import KEY
from cqa_spark.features.featurize import compute_outside_training, fit_and_compute, fit_groups
from cqa_spark.features.group import FeatureGroup, Place, Reach
from cqa_spark.features.history.concerned import concerned
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.schemas.text import DOCUMENTS, TEXTS
from cqa_spark.rankers.rankings import rank
from cqa_spark.tasks.judged_answers import AnswerRules, candidates, judged_answers
from cqa_spark.tasks.preferred_answer_dataset import every_question

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
    versions = {table: (before[table.name], after[table.name]) for table in COMMUNITY}
    versions[EXAMPLES] = (first.examples, second.examples)
    changed = changes(versions, classes)
    tracked = by_table(together({table.name: changed[table.name] for table in COMMUNITY}).localCheckpoint())
    tracked[EXAMPLES.name] = changed[EXAMPLES.name].where("tracked_changed").localCheckpoint()
    with affected_examples(tracked, {table.name: after for table, (_, after) in versions.items()}, second.cut) as found:
        keys = found.localCheckpoint()
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
    assert wrong_values(groups, worlds) == dict.fromkeys(groups, (0, 0))


@pytest.mark.slow
def test_threads_that_no_change_affects_keep_their_examples(spark: SparkSession) -> None:
    rng = Random(8)
    worlds = [invent(f"site{number}", rng) for number in range(WORLDS)]
    before, after = (frames(spark, each) for each in (worlds, [edit(world, rng) for world in worlds]))
    versions = {table: (before[table.name], after[table.name]) for table in COMMUNITY}
    changed = by_table(together(changes(versions, [group_class("basic_q_asof_v1")])).localCheckpoint())
    judged = threads_to_judge(changed, after[POSTS.name]).localCheckpoint()
    first, second = (examples_of(tables) for tables in (before, after))
    kept, now = (rows.join(judged, list(judged.columns), "left_anti").localCheckpoint() for rows in (first, second))
    assert 50 < now.count() < second.count() - 20
    assert kept.exceptAll(now).count() + now.exceptAll(kept).count() == 0


def examples_of(tables: Mapping[str, DataFrame]) -> DataFrame:
    answers = candidates(judged_answers(tables[POSTS.name], tables[VOTES.name]), AnswerRules(min_answers=1))
    return every_question(answers, min_answers=1)


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
    shared = {group.place: compute_outside_training({group.name: group}, inputs) for group in groups}
    frame = assemble(inputs.examples, names, shared)
    values = feature_names(names)
    scored = frame.withColumn("score", F.hash(*values).cast("double")).withColumn("predicted", F.lit(False))
    return rank(scored, "by_all_values", run_id="any").localCheckpoint()


def wrong_values(names: Sequence[str], worlds: Edited) -> dict[str, tuple[int, int]]:
    """By group, the number of examples that are not computed again and yet have another value than before; and of those
    that have another value when only what is computed again is looked at.

    The groups of a pass with one reach are computed together, as a night computes them.
    """
    fitted = {name: each.on_all for name, each in fit_groups(map(group_class, names), worlds.before, folds=2).items()}
    by_pass: dict[tuple[Place, Reach], dict[str, FeatureGroup]] = defaultdict(dict)
    for name, group in fitted.items():
        by_pass[group.place, group.reach][name] = group
    found: dict[str, tuple[int, int]] = {}
    for (place, reach), groups in by_pass.items():
        key, examples = list(KEY), worlds.again[reach]
        again = examples.select(*key)
        kept = worlds.second.examples.select(*key).join(again, key, "left_anti")
        few = replace(worlds.second, examples=examples, few=True)
        before, now = (contents(groups, inputs) for inputs in (worlds.first, worlds.second))
        with concerned(few) if place is Place.AUTHOR else nullcontext(few) as restricted:
            alone = contents(groups, restricted)
        unlike = differences(list(groups), before.join(kept, key, "left_semi"), now.join(kept, key, "left_semi"))
        unlike_alone = differences(list(groups), alone, now.join(again, key, "left_semi"))
        found |= {name: (unlike[name], unlike_alone[name]) for name in groups}
    return found


def contents(groups: Mapping[str, FeatureGroup], inputs: FeatureInputs) -> DataFrame:
    """A column for each group: a hash of its values, and which of them are null, which a hash passes over."""
    values = compute_outside_training(groups, inputs)
    columns = []
    for name, group in groups.items():
        features = [F.col(f"{name}.{column.name}") for column in group.columns]
        known = F.concat(*[feature.isNull().cast("int").cast("string") for feature in features])
        columns.append(F.struct(F.hash(*features), known).alias(name))
    return values.select(*KEY, *columns).localCheckpoint()


def differences(names: Sequence[str], one: DataFrame, other: DataFrame) -> dict[str, int]:
    """By group, the number of examples that only one side has, or that have different contents."""
    left, right = (
        frame.select(*KEY, *[F.col(name).alias(f"{side}_{name}") for name in names])
        for side, frame in (("one", one), ("other", other))
    )
    both = left.join(right, list(KEY), "full_outer")
    unlike = [F.count_if(~F.col(f"one_{name}").eqNullSafe(F.col(f"other_{name}"))).alias(name) for name in names]
    counted = both.agg(*unlike).first()
    assert counted is not None  # an aggregate without groups has one row
    return dict(counted.asDict())
