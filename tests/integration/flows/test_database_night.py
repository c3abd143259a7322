"""Nights of a forum in Postgres: read from its tables, ranked, published, and delivered into tables beside them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import Postgres, postgres_server
from pyspark.sql import SparkSession

from cqa_spark.api.lake import open_lake
from cqa_spark.cli import main

pytestmark = [pytest.mark.more, pytest.mark.slow]

DESCRIPTION = "conf/databases/discourse.yaml"


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres_server(topics=60) as server:
        yield server


def test_two_nights(server: Postgres, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.describe(monkeypatch)
    lake = f"{tmp_path}/lake"
    # Nobody listens at the discard port: the night warns, and goes on.
    night = ["nightly", "--dump-format", "database", "--input", DESCRIPTION, "--lake", lake, "--no-pages"]
    night += ["--webhook.url", "http://127.0.0.1:9/", "--webhook.attempts", "1"]
    deliver = ["export", "database", "--lake", lake, "--database", DESCRIPTION]
    assert main(night) == 0
    first = open_lake(lake).run().run_id
    assert main([*deliver, "published"]) == 0

    served = "SELECT query_id, candidate_id, rank FROM cqa.rankings ORDER BY query_id, rank"
    rows = server.execute(served)
    assert len(rows) == 180, "three answers of 60 questions"
    ranked = open_lake(lake).run().table("rankings").to_arrow().to_pylist()
    assert sorted(rows) == sorted(
        (row["query_id"], row["candidate_id"], row["rank"]) for row in ranked if row["served"]
    )
    # The accepted answer of topic 1 is its second.
    assert next(row for row in rows if row[0] == "11") == ("11", "13", 1)
    assert server.execute("SELECT title FROM cqa.rankings WHERE query_id = '21' LIMIT 1") == [
        ("How warm should the yeast of batch 2 be?",)
    ]
    assert server.execute("SELECT run_id FROM cqa.delivered") == [(first,)]
    before = set(server.execute("SELECT candidate_id FROM cqa.rankings"))

    server.execute(
        "UPDATE posts SET deleted_at = '2024-06-01' WHERE id = 14;"
        "INSERT INTO posts SELECT 605, 2, 60, 5, 'x', '<p>At 18 degrees</p>', day, day, day, NULL, 1, 0, false FROM "
        "(SELECT '2024-06-01'::timestamp AS day) days"
    )
    assert main([*night, "--force", "--who", "the test"]) == 0
    assert main([*deliver, "published"]) == 0
    second = open_lake(lake).run().run_id
    assert server.execute("SELECT run_id FROM cqa.delivered") == [(second,)]
    assert set(server.execute("SELECT candidate_id FROM cqa.rankings")) ^ before == {("605",), ("14",)}
