"""Nights of a literal community through both passes: what they know does not depend on what came after."""

from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import Any

from literal_answers import at, community
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from single_groups import compute_values

from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.registry import group_class
from cqa_spark.tasks.preferred_answer.backtest import night_examples
from cqa_spark.tasks.preferred_answer.task import PreferredAnswer

GROUPS = ("answer_standing_asof_v1", "answer_timing_asof_v1", "answer_markup_asof_v1", "author_record_asof_v1")


def nights(inputs: FeatureInputs) -> FeatureInputs:
    return replace(inputs, examples=night_examples(PreferredAnswer.name, inputs.posts, inputs.needed("votes")))


def before(inputs: FeatureInputs, end: datetime) -> FeatureInputs:
    """What a dump of a moment has; of votes, those of earlier days."""
    posts, comments, votes = (
        frame.where(F.col("created_at") < F.lit(end))
        for frame in (inputs.posts, inputs.comments, inputs.needed("votes"))
    )
    chosen = votes.where("vote_type_id = 1").select("site", F.col("post_id").alias("accepted_answer_id"))
    open_ = posts.join(chosen, on=["site", "accepted_answer_id"], how="left_anti").withColumn(
        "accepted_answer_id", F.lit(None).cast("string")
    )
    accepted = posts.join(chosen, on=["site", "accepted_answer_id"], how="left_semi").select(posts.columns)
    return replace(inputs, posts=accepted.unionByName(open_), comments=comments, votes=votes)


def evidence(inputs: FeatureInputs) -> dict[tuple[str, str], dict[str, Any]]:
    """The values of all groups on replayed nights, by night and answer."""
    replayed = replace(inputs, examples=inputs.examples.where("role <> 'served'"))
    frames = [compute_values(group_class(name)(), replayed) for name in GROUPS]
    keys = ["site", "query_id", "candidate_id"]
    prefixed = [
        frame.select(*keys, *[F.col(column).alias(f"{name}__{column}") for column in frame.columns[3:]])
        for name, frame in zip(GROUPS, frames, strict=True)
    ]
    joined: DataFrame = reduce(lambda one, other: one.join(other, on=keys), prefixed)
    return {(row["query_id"], row["candidate_id"]): row.asDict() for row in joined.collect()}


def test_nights_know_what_was_public_at_their_cut(spark: SparkSession) -> None:
    full = nights(community(spark))
    rows = [
        (row["query_id"], row["candidate_id"], row["role"], row["age_days"], row["relevant"], round(row["choice"], 3))
        for row in full.examples.orderBy("role", "thread_id", "cut_at", "initial_rank").collect()
    ]
    # The answer 13 came on the day of its acceptance, after the night before; 22 came at midnight, just in time.
    assert rows == [
        ("2@2020-02-03", "21", "measured", 2, True, 0.333),
        ("2@2020-02-03", "22", "measured", 2, False, 0.0),
        ("2@2020-02-05", "21", "measured", 4, True, 0.333),
        ("2@2020-02-05", "22", "measured", 4, False, 0.0),
        ("2@2020-02-09", "21", "measured", 8, True, 0.333),
        ("2@2020-02-09", "22", "measured", 8, False, 0.0),
        ("1", "11", "served", 33, None, 0.0),
        ("1", "12", "served", 33, None, 0.0),
        ("1", "13", "served", 33, None, 0.0),
        ("2", "21", "served", 63, None, 0.0),
        ("2", "22", "served", 63, None, 0.0),
        ("1@2020-03-03", "11", "undecided", 1, None, 0.2),
        ("1@2020-03-03", "12", "undecided", 1, None, 0.0),
    ]
    found = evidence(full)
    assert len(found) == 8
    earlier = evidence(nights(before(community(spark), at(2, 9))))
    assert earlier == {key: row for key, row in found.items() if key[0] in ("2@2020-02-03", "2@2020-02-05")}
