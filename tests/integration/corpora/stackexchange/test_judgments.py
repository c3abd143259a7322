"""What a dump's votes say of its answers, and from when on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.stackexchange.judgments import judgments
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.table import Table


def frame(spark: SparkSession, table: Table, rows: Sequence[Mapping[str, object]]) -> DataFrame:
    filled = {"site": "s", "split": "unannotated", "source_file": "f"}
    return spark.createDataFrame(
        [tuple((filled | dict(row)).get(name) for name in table.schema.names) for row in rows], table.schema
    )


def test_an_acceptance_is_known_from_the_midnight_after_its_last_vote(spark: SparkSession) -> None:
    posts = [
        {"post_id": "1", "thread_id": "1", "post_type": "question", "accepted_answer_id": "12"},
        {"post_id": "11", "thread_id": "1", "post_type": "answer"},
        {"post_id": "12", "thread_id": "1", "post_type": "answer"},
        {"post_id": "2", "thread_id": "2", "post_type": "question", "accepted_answer_id": "21"},
        {"post_id": "21", "thread_id": "2", "post_type": "answer"},
    ]
    votes = [
        {"vote_id": "1", "post_id": "12", "vote_type_id": 1, "created_at": datetime(2020, 1, 1, tzinfo=UTC)},
        {"vote_id": "2", "post_id": "12", "vote_type_id": 1, "created_at": datetime(2020, 1, 3, 15, 30, tzinfo=UTC)},
        {"vote_id": "3", "post_id": "12", "vote_type_id": 2, "created_at": datetime(2020, 1, 9, tzinfo=UTC)},
        {"vote_id": "4", "post_id": "21", "vote_type_id": 1, "created_at": datetime(2020, 1, 5, tzinfo=UTC)},
    ]
    found = judgments(frame(spark, POSTS, posts), frame(spark, VOTES, votes))
    rows = found.selectExpr("candidate_id", "label", "unix_seconds(known_at) as known_at").orderBy("candidate_id")
    third, fifth = (int(datetime(2020, 1, day + 1, tzinfo=UTC).timestamp()) for day in (3, 5))
    assert [tuple(row) for row in rows.collect()] == [
        ("11", "NotAccepted", third),
        ("12", "Accepted", third),
        ("21", "Accepted", fifth),
    ]
