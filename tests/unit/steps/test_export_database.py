"""Rows as Postgres copies them, and databases that no delivery reaches."""

import socket
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.settings.databases import Database
from cqa_spark.steps.export_database import DatabaseTarget, as_csv


def test_a_null_is_no_empty_text_and_a_text_may_hold_anything() -> None:
    columns = {
        "query_id": pa.array(["1", "", None]),
        "title": pa.array(['a "quoted" word', "two\nlines, a comma", None]),
        "rank": pa.array([1, None, 3], pa.int32()),
        "score": pa.array([0.5, -1.25e-9, None], pa.float64()),
        "served": pa.array([True, False, None]),
        "at": pa.array([datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC), None, None], pa.timestamp("us", "UTC")),
    }
    batch = pa.record_batch(columns)
    first, second = as_csv([batch.slice(0, 2), batch.slice(2)])
    assert first.schema == pa.schema({"csv": pa.binary()})
    assert first["csv"].to_pylist() == [
        b'"1","a ""quoted"" word",1,0.5,true,2020-01-02 03:04:05.000000Z\n"","two\nlines, a comma",,-1.25e-9,false,\n'
    ]
    assert second["csv"].to_pylist() == [b",,3,,,\n"]


def test_only_postgres_is_delivered_to() -> None:
    with pytest.raises(ConfigError, match="delivered to Postgres alone"):
        DatabaseTarget(database("jdbc:mysql://127.0.0.1/forum"), "cqa")


def test_an_address_of_several_servers_is_refused() -> None:
    with pytest.raises(ConfigError, match="a delivery needs one server"):
        DatabaseTarget(database("jdbc:postgresql://127.0.0.1:1,127.0.0.1:2/forum"), "cqa")


def test_a_server_that_does_not_answer() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"jdbc:postgresql://127.0.0.1:{unused.getsockname()[1]}/forum"
        with pytest.raises(EnvironmentProblem) as refused:
            DatabaseTarget(database(url), "ranked")
    assert refused.value.problem.startswith(f"{url}: connection failed")
    assert refused.value.problem.endswith("nothing was delivered")
    assert "it has to own the schema ranked" in refused.value.remedy


def database(url: str) -> Database:
    return Database(url=url, user="nightly", site="forum.example.org", tables={})
