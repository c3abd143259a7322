"""The order in which ``cqa lake forget`` publishes and deletes, without the tables that Spark writes."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from small_runs import finished, lake_at, published

from cqa_spark.cli import main
from cqa_spark.corpora.erasure import Change, read_forgotten
from cqa_spark.lake import collection, publishing
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.snapshot import Snapshot, published_snapshot
from cqa_spark.process.signals import Stopped
from cqa_spark.steps import forget

FORGET = ("lake", "forget", "--site", "a", "--post", "1", "--now", "--lake")


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A lake with a report, whose run r1 has a post of site a that no later run has."""
    lake = lake_at(tmp_path / "lake")
    finished(lake, "r1", a="f")
    published(lake, "r1")
    lake.objects.put("report.html", b"quotes post 1")

    @contextmanager
    def erasure(*_: object) -> Iterator[None]:
        yield None

    def changes(last: Snapshot, erasure: None) -> list[Change]:
        return [Change("posts", "a", 1, 0)] if last.record.run_id == "r1" else []

    monkeypatch.setattr(forget, "forgotten_in", erasure)
    monkeypatch.setattr(forget, "changes_in", changes)
    monkeypatch.setattr(forget, "remove", lambda run, erasure: None)
    return lake


@pytest.mark.parametrize("step", ["publish", "remove_earlier_report", "collect"])
def test_interrupted_before_a_step_nothing_is_half_removed_and_the_same_command_completes_it(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise Stopped(signal.SIGTERM)

    with monkeypatch.context() as patched:
        patched.setattr(collection if step == "collect" else publishing, step, interrupted)
        assert main([*FORGET, lake.root]) == 143
    assert (published_snapshot(lake).record.run_id == "r1") == (step == "publish")
    assert (lake.objects.read("report.html") is None) == (step == "collect")
    assert main([*FORGET, lake.root]) == 0
    last = published_snapshot(lake).record
    assert last.run_id != "r1"
    assert lake.objects.read("report.html") is None
    assert lake.objects.read("runs/r1.1/manifest.json") is None  # nothing can be rolled back to
    assert [entry.attempt for entry in read_forgotten(lake.objects)] == [last.attempt]
