"""Running totals at given moments: the same as counting by hand, to the microsecond."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cqa_spark.features.history.contributions import COUNTED, votes_received
from cqa_spark.features.history.cut import Cut
from cqa_spark.features.history.totals import totals_at
from cqa_spark.lake.schemas.activity import VOTES

START = datetime(2020, 1, 1, tzinfo=UTC)
EVENT = "user string, thread string, known_at timestamp, up bigint, down bigint"
MOMENT = "user string, thread string, known_at timestamp, moment_id int"


def test_totals_are_those_of_counting_by_hand(spark: SparkSession) -> None:
    drawn = random.Random(7)
    # Few distinct times, so that many events happen at the very moment that is asked about.
    events = [
        (drawn.choice("ab"), drawn.choice("xyz"), START + timedelta(days=drawn.randrange(9)), drawn.randrange(4), 1)
        for _ in range(200)
    ]
    moments = [(user, thread, START + timedelta(days=day), 10 * day + n) for day in range(10)
               for n, (user, thread) in enumerate([("a", "x"), ("b", "z"), ("nobody", "x")])]  # fmt: skip
    undated = [("a", "x", None, 1000, 1000)]
    found = totals_at(
        spark.createDataFrame(moments, MOMENT), spark.createDataFrame(events + undated, EVENT).repartition(3),
        key=("user",), values={"up": "up", "down": "down"}, within=("thread",), own=("up",),
    )  # fmt: skip
    expected = {}
    for user, thread, moment, number in moments:
        known = [event for event in events if event[0] == user and event[2] <= moment]
        own = sum(event[3] for event in known if event[1] == thread)
        last = max((event[2] for event in known), default=None)
        expected[number] = (sum(event[3] for event in known), len(known), own, last)
    counted = {
        row["moment_id"]: (row["up"], row["down"], row["own_up"], row["last_at"] and row["last_at"].astimezone(UTC))
        for row in found.collect()
    }
    assert counted == expected


def test_nothing_is_known_a_microsecond_too_early(spark: SparkSession) -> None:
    votes = [("s", "v1", "p", kind, START + timedelta(hours=5)) for kind in (2, 2, 3, 1, 8)]
    names = ["site", "vote_id", "post_id", "vote_type_id", "created_at"]
    frame = spark.createDataFrame([(*vote, "f") for vote in votes], [*names, "source_file"])
    received = votes_received(VOTES.complete(frame.withColumn("vote_type_id", F.col("vote_type_id").cast("int"))))
    midnight = START + timedelta(days=1)
    moments = [("s", "p", midnight, 1), ("s", "p", midnight - timedelta(microseconds=1), 2)]
    asked = spark.createDataFrame(moments, "site string, post_id string, known_at timestamp, moment_id int")
    found = totals_at(
        asked, received, key=("site", "post_id"), values={name: COUNTED[name] for name in ("up", "down", "accepted")}
    )
    assert {row["moment_id"]: (row["up"], row["down"], row["accepted"]) for row in found.collect()} == {
        1: (2, 1, 1),
        2: (0, 0, 0),
    }


def test_one_shuffle_brings_the_totals_of_users_and_of_threads_together(spark: SparkSession) -> None:
    moments, events = spark.createDataFrame([], MOMENT), spark.createDataFrame([], EVENT)
    found = totals_at(moments, events, key=("user",), values={"up": "up"}, within=("thread",), own=("up",))
    plan = found._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange hashpartitioning") == 1
    assert "Join" not in plan
    assert "Cartesian" not in plan


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        (Cut("question"), START),
        (Cut("answer"), START + timedelta(hours=3)),
        (Cut("delay", 1.5), START + timedelta(minutes=90)),
        (Cut(), START + timedelta(days=1)),
    ],
)
def test_the_cut(spark: SparkSession, cut: Cut, expected: datetime) -> None:
    times = spark.createDataFrame([(START, START + timedelta(hours=3))], "asked_at timestamp, answered_at timestamp")
    row = times.select(F.expr(cut.sql).alias("cut")).first()
    assert row is not None
    assert row["cut"].astimezone(UTC) == expected
