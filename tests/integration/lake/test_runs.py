"""Runs, publishing and rolling back on a real lake."""

from __future__ import annotations

import errno
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import Row, SparkSession

from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.garbage import runs_to_keep, vacuum_tables
from cqa_spark.lake.holder import Holder
from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.lease import take_lease
from cqa_spark.lake.leased import hold
from cqa_spark.lake.pointer import claim, point_to
from cqa_spark.lake.publishing import Snapshot, publish, published_run, published_snapshot, rollback
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_lifecycle import open_run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import InputRecord, RunRecord, StepRecord
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import RunTable, Table, column
from cqa_spark.process.stop_signals import Stopped

SCORES = Table("scores", "Made for the test.", (column("score", "int", "points"),), key=("score",))
NOTES = JournalTable("notes", "Made for the test.", (column("note", "string", "a fact"),), key=("note",))
MEASURED = RunTable("measured", "Made for the test.", (column("value", "int", "points"),), key=("value",))
OTHER = Table("other", "Made for the test.", (column("score", "int", "points"),), key=("score",))


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "lake"))


@contextmanager
def opened(lake: Lake, run_id: str, *, resume: bool = False, steps: list[StepRecord] | None = None) -> Iterator[Run]:
    begin = RunRecord(run_id, "running", "run", config_hash="c0ffee", config="task: x\n", code_version="0")
    with open_run(lake, begin, resume=resume, on_step=(steps if steps is not None else []).append) as run:
        yield run


def write_score(run: Run, score: int) -> None:
    run.write(SCORES, run.lake.spark.createDataFrame([(score,)], SCORES.schema))


def test_each_run_has_its_own_rows_of_a_run_table(lake: Lake, spark: SparkSession) -> None:
    with opened(lake, "r1") as run:
        for value in (1, 2):  # the second write replaces the first one
            assert run.write(MEASURED, spark.createDataFrame([(value,)], MEASURED.schema)).rows == 1
            assert run.read(MEASURED).collect() == [Row(value=value)]
    with opened(lake, "r2") as run:
        run.write(MEASURED, MEASURED.empty(spark))
    first, second = (Snapshot(lake, RunLog(lake.objects).require_success(run_id)) for run_id in ("r1", "r2"))
    assert first.read(MEASURED).collect() == [Row(value=2)]
    assert second.read(MEASURED).collect() == []
    for file in Path(lake.root, "journal", "measured").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(ContractError, match="is missing: the record of run r1 names it"):
        first.read(MEASURED)


def finished(lake: Lake, run_id: str, score: int) -> None:
    with opened(lake, run_id) as run:
        write_score(run, score)


def crashed(lake: Lake, run_id: str, score: int) -> None:
    with opened(lake, run_id) as run:
        write_score(run, score)
        raise RuntimeError("power cut")


def published(lake: Lake, run_id: str) -> RunRecord:
    with hold(lake, Holder.of_this_process("test")) as held:
        return publish(held, run_id)


def rolled_back(lake: Lake, to: str | None = None) -> RunRecord:
    with hold(lake, Holder.of_this_process("test")) as held:
        return rollback(held, to)


def published_scores(lake: Lake) -> list[Row]:
    return published_snapshot(lake).read(SCORES).collect()


def test_a_run_logs_its_beginning_its_end_and_what_it_did(lake: Lake) -> None:
    seen: list[StepRecord] = []
    with opened(lake, "r1", steps=seen) as run:
        run.add_inputs([InputRecord("a.xml", "train", 3, "abc")])
        with run.step("ingest") as step:
            step.rows_in, step.rows_out, step.rows_quarantined = 3, 2, 1
        write_score(run, 7)
        run.add_artifact("report", "/r1.html")
    running, succeeded = RunLog(lake.objects).records("r1")
    assert (running.sequence, running.status) == (1, "running")
    assert (succeeded.sequence, succeeded.status) == (2, "succeeded")
    assert succeeded.inputs == (InputRecord("a.xml", "train", 3, "abc"),)
    assert [(s.step, s.rows_in, s.rows_out, s.rows_quarantined) for s in succeeded.steps] == [("ingest", 3, 2, 1)]
    assert [s.step for s in seen] == ["ingest"]
    assert succeeded.table_versions == {"scores": 0}
    assert succeeded.artifacts == {"report": "/r1.html"}


def test_a_stopped_run_is_logged_as_stopped(lake: Lake) -> None:
    with pytest.raises(Stopped) as stopped, opened(lake, "r1"):
        raise Stopped(signal.SIGTERM)
    assert stopped.value.__notes__ == ["run r1 is recorded as stopped"]
    assert [(r.status, r.message) for r in RunLog(lake.objects).records("r1")] == [
        ("running", None),
        ("stopped", "stopped by SIGTERM"),
    ]
    lake.spark.sparkContext.setLogLevel("ERROR")  # a process that stops logs nothing more


def test_what_made_a_run_fail_is_raised_also_where_the_end_cannot_be_logged(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(log: RunLog, record: RunRecord) -> RunRecord:
        raise OSError(errno.ENOSPC, "No space left on device")

    def fail() -> None:
        with opened(lake, "r1") as run:
            begun.append(run)
            monkeypatch.setattr(RunLog, "append", refuse)
            raise RuntimeError("power cut")

    begun: list[Run] = []
    with pytest.raises(RuntimeError, match="power cut"):
        fail()
    assert begun[0].record.status == "running"


def test_nothing_is_visible_before_it_is_published(lake: Lake) -> None:
    finished(lake, "r1", 1)
    with pytest.raises(InputError, match="nothing is published"):
        published_snapshot(lake)
    published(lake, "r1")
    finished(lake, "r2", 2)
    assert published_scores(lake) == [Row(score=1)]
    published(lake, "r2")
    assert published_scores(lake) == [Row(score=2)]


def test_a_crash_leaves_the_published_run_readable(lake: Lake) -> None:
    finished(lake, "r1", 1)
    published(lake, "r1")
    with pytest.raises(RuntimeError, match="power cut"):
        crashed(lake, "r2", 2)
    assert published_scores(lake) == [Row(score=1)]
    failed = RunLog(lake.objects).records("r2")[-1]
    assert (failed.status, failed.message) == ("failed", "RuntimeError: power cut")
    with pytest.raises(InputError, match="no run r2 has succeeded") as refused:
        published(lake, "r2")
    assert "choose one of: r1" in refused.value.remedy


def test_the_same_run_again_converges(lake: Lake) -> None:
    finished(lake, "r1", 1)
    published(lake, "r1")
    finished(lake, "r1", 1)
    published(lake, "r1")
    assert published_scores(lake) == [Row(score=1)]


def test_publishing_twice_adds_no_row(lake: Lake) -> None:
    finished(lake, "r1", 1)
    first = published(lake, "r1")
    assert published(lake, "r1") == first
    assert len(RunLog(lake.objects).records(status="published")) == 1


def test_who_comes_after_a_dead_writer_completes_its_log(lake: Lake) -> None:
    finished(lake, "r1", 1)
    shown = published(lake, "r1")
    dead = Holder.of_this_process("nightly").model_copy(update={"pid": 2**22 + 1})
    lease = take_lease(lake.objects, dead, lambda: datetime.now(UTC))
    claim(lake.objects, lease.token)
    RunLog(lake.objects).append(replace(shown, run_id="r2", status="running"))
    again = replace(shown, run_id="r1", recorded_at=datetime.now(UTC), message="killed before the log was written")
    point_to(lake.objects, again, lease.token)

    with hold(lake, Holder.of_this_process("test")):
        log = RunLog(lake.objects)
        assert [r.message for r in log.records(status="published")] == ["published", again.message]
        assert log.records("r2")[-1].status == "failed"
        assert log.records("r2")[-1].message == f"ended without a record: {dead}"
    with hold(lake, Holder.of_this_process("test")):
        assert len(log.records(status="published")) == 2
    assert published_run(lake) == again


def test_rolling_back_is_one_more_row(lake: Lake) -> None:
    for score, run_id in enumerate(["r1", "r2"]):
        finished(lake, run_id, score)
        published(lake, run_id)
    assert rolled_back(lake).message == "rolled back from r2"
    assert published_scores(lake) == [Row(score=0)]
    assert [r.run_id for r in RunLog(lake.objects).records(status="published")] == ["r1", "r2", "r1"]
    assert rolled_back(lake, "r2").run_id == "r2"
    with pytest.raises(InputError, match="run r3 was not published before"):
        rolled_back(lake, "r3")


def test_there_must_be_something_to_roll_back_to(lake: Lake) -> None:
    finished(lake, "r1", 1)
    published(lake, "r1")
    with pytest.raises(InputError, match="no earlier run"):
        rolled_back(lake)


def test_a_later_job_goes_on_with_the_tables_of_its_run(lake: Lake) -> None:
    finished(lake, "r1", 1)
    with opened(lake, "r1", resume=True) as run:
        assert run.read(SCORES).collect() == [Row(score=1)]
        run.write(OTHER, run.read(SCORES))
    assert RunLog(lake.objects).require_success("r1").table_versions == {"scores": 0, "other": 0}


def test_a_table_that_was_not_written_names_the_way_out(lake: Lake) -> None:
    with pytest.raises(InputError, match="run r1 has no table other") as refused, opened(lake, "r1") as run:
        run.read(OTHER)
    assert "--run-id" in refused.value.remedy


def test_the_entries_of_a_run_are_its_own_and_garbage_collection_leaves_them(lake: Lake) -> None:
    for score, run_id in enumerate(["r1", "r2"]):
        with opened(lake, run_id) as run:
            write_score(run, score)
            assert run.write_entries(NOTES, [{"note": run_id}]) == 1
            assert run.entries(NOTES) == [{"note": run_id}]
        published(lake, run_id)
    with hold(lake, Holder.of_this_process("test")) as held:
        assert vacuum_tables(held, runs_to_keep(held, 1)) == ["scores"]
    log = RunLog(lake.objects)
    assert [Snapshot(lake, log.require_success(run_id)).entries(NOTES) for run_id in ("r1", "r2")] == [
        [{"note": "r1"}],
        [{"note": "r2"}],
    ]
    assert published_scores(lake) == [Row(score=1)]
