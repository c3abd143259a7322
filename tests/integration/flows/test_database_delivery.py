"""Deliveries into a real Postgres: rows as Spark's tasks would write them, without Spark."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from postgres import Postgres, postgres_server
from pyspark.sql import types as T

from cqa_spark.errors import AnotherWriter, ContractError, EnvironmentProblem, InputError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.findings import FINDINGS
from cqa_spark.settings.databases import Database
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.steps import export_database
from cqa_spark.steps.export_database import DatabaseTarget

RANKED = T.StructType(
    [T.StructField(name, T.StringType()) for name in ("site", "task", "query_id", "candidate_id")]
    + [T.StructField("rank", T.IntegerType()), T.StructField("accepted", T.BooleanType())]
)


class Rows:
    """The part of a DataFrame that a delivery uses."""

    def __init__(self, schema: T.StructType, rows: Sequence[Mapping[str, Any]]) -> None:
        self.schema, self._rows = schema, rows

    def mapInArrow(self, function: Any, _: T.StructType) -> "Rows":
        import pyarrow as pa

        batch = pa.RecordBatch.from_pylist(list(self._rows), to_arrow_schema(self.schema))
        written = [value for output in function([batch]) for value in output.column(0).to_pylist()]
        return Rows(self.schema, [{"csv": value} for value in written])

    def toLocalIterator(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)


class Snapshot:
    """The part of a snapshot that a delivery uses."""

    class record:
        run_id = "monday"

    def __init__(self, lake: str = "/lake", *, has_findings: bool = True) -> None:
        self.lake, self._has_findings = Lake(None, lake), has_findings  # type: ignore[arg-type]

    def has(self, _: object) -> bool:
        return self._has_findings


def finding(post: int, evidence: str = 'say "x", y\nz', score: float = 1.0) -> dict[str, Any]:
    return {
        "site": "forum.test", "kind": "late_answer", "post_id": str(post), "other_id": "0", "thread_id": "1",
        "score": score, "probability": None, "evidence": evidence,
    }  # fmt: skip


pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres_server(topics=1) as server:
        yield server


@pytest.fixture
def target(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> DatabaseTarget:
    server.describe(monkeypatch)
    server.execute("DROP SCHEMA IF EXISTS cqa CASCADE")
    return opened(server)


def opened(server: Postgres) -> DatabaseTarget:
    return DatabaseTarget(Database(url=server.url, user="forum"), "cqa")


def deliver(
    target: DatabaseTarget,
    monkeypatch: pytest.MonkeyPatch,
    findings: Sequence[Mapping[str, Any]],
    publication: int,
    expected: int | None = None,
    snapshot: Snapshot | None = None,
) -> Mapping[str, int]:
    """Deliver one ranked candidate and these findings; ``expected`` is the number of findings that the run has."""
    ranked = {"site": "forum.test", "task": "t", "query_id": "1", "candidate_id": "2", "rank": 1, "accepted": None}
    number = len(findings) if expected is None else expected
    monkeypatch.setattr(
        export_database, "served_rankings", lambda *_, **__: (Rows(RANKED, [ranked]), {"forum.test": 1})
    )
    monkeypatch.setattr(
        export_database, "open_findings", lambda _: (Rows(FINDINGS.schema, findings), {"forum.test": number})
    )
    return target.deliver(snapshot or Snapshot(), "mine", publication=publication)  # type: ignore[arg-type]


def test_rows_are_inserted_changed_and_deleted_by_key_and_equal_ones_stay(
    server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert deliver(target, monkeypatch, [finding(1), finding(2), finding(3)], 1) == {"rankings": 1, "findings": 3}
    assert server.execute("SELECT evidence, probability FROM cqa.findings WHERE post_id = '1'") == [
        ('say "x", y\nz', None)
    ]
    before = dict(server.execute("SELECT post_id, xmin::text FROM cqa.findings"))
    deliver(opened(server), monkeypatch, [finding(1), finding(2, "other"), finding(4)], 2)
    after = dict(server.execute("SELECT post_id, xmin::text FROM cqa.findings"))
    assert (sorted(after), after["1"] == before["1"], after["2"] == before["2"]) == (["1", "2", "4"], True, False)
    assert server.execute("SELECT run_id, publication, system FROM cqa.delivered") == [("monday", 2, "mine")]
    assert server.execute("SELECT candidate_id, rank, accepted FROM cqa.rankings") == [("2", 1, None)]


def test_a_delivery_that_fails_changes_nothing(
    server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(target, monkeypatch, [finding(1)], 1)
    with pytest.raises(ContractError):
        deliver(opened(server), monkeypatch, [finding(2)], 2, expected=2)
    server.execute("ALTER TABLE cqa.findings ADD CONSTRAINT low CHECK (score < 5)")
    with pytest.raises(EnvironmentProblem, match="low"):
        deliver(opened(server), monkeypatch, [finding(3, score=9.0)], 2)
    assert server.execute("SELECT post_id, publication FROM cqa.findings, cqa.delivered") == [("1", 1)]


def test_an_older_publication_replaces_no_newer_one(
    server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(target, monkeypatch, [finding(1)], 2)
    slow = opened(server)
    with pytest.raises(InputError):
        slow.refuse_older("sunday", 1)
    deliver(opened(server), monkeypatch, [finding(2)], 50)
    with pytest.raises(AnotherWriter):
        deliver(slow, monkeypatch, [finding(3)], 3)
    assert server.execute("SELECT post_id FROM cqa.findings") == [("2",)]


def test_a_run_without_findings_leaves_none_of_an_earlier_run(
    server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(target, monkeypatch, [finding(1)], 1)
    assert deliver(opened(server), monkeypatch, [], 2, snapshot=Snapshot(has_findings=False)) == {"rankings": 1}
    assert server.execute("SELECT post_id FROM cqa.findings") == []


def test_another_lake_is_refused(server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    deliver(target, monkeypatch, [finding(1)], 1)
    with pytest.raises(InputError, match="the lake /lake"):
        deliver(opened(server), monkeypatch, [finding(2)], 2, snapshot=Snapshot("/other"))
    assert server.execute("SELECT post_id, lake FROM cqa.findings, cqa.delivered") == [("1", "/lake")]


def test_a_delivery_does_not_wait_for_readers(
    server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(target, monkeypatch, [finding(1)], 1)
    with server.connection() as reader:
        assert reader.execute("SELECT post_id FROM cqa.findings").fetchall() == [("1",)]
        deliver(opened(server), monkeypatch, [finding(2)], 2)
        assert reader.execute("SELECT post_id FROM cqa.findings").fetchall() == [("2",)]


def test_a_wrong_password_is_not_printed(
    server: Postgres, target: DatabaseTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CQA_DATABASE_PASSWORD", "wrong-8d1e")
    with pytest.raises(EnvironmentProblem) as refused:
        opened(server)
    assert server.url in refused.value.problem
    assert "wrong-8d1e" not in str(refused.value)
