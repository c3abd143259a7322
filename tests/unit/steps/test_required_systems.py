"""Systems that cannot be trained: the run ends with a required one, and goes on without a dispensable one."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.errors import InputError
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.steps import train
from cqa_spark.steps.train import Train


def without_labels(frame: object) -> None:
    raise InputError("the training examples have one class", "add others")


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The systems whose importances are written; Spark's part is left out."""
    written: list[Any] = []
    for name in ("tuned_systems", "usable_systems"):
        monkeypatch.setattr(train, name, lambda run, systems: systems)
    monkeypatch.setattr(train, "task_examples", lambda run, task: SimpleNamespace(where=lambda condition: None))
    monkeypatch.setattr(train, "_with_missed", lambda run, examples: examples)
    monkeypatch.setattr(train, "training_threads", lambda *frames: None)
    monkeypatch.setattr(train, "persisted", lambda *frames: nullcontext(frames))
    monkeypatch.setattr(train, "_frames", lambda *arguments: nullcontext(lambda system: None))
    monkeypatch.setattr(train, "write_importances", lambda run, systems: written.extend(systems))
    return written


SYSTEM: Any = SimpleNamespace(name="mine", upstream=(), build=lambda: SimpleNamespace(fit=without_labels))
RUN: Any = SimpleNamespace(read=lambda table: None, run_id="r1")


def test_a_required_system_that_cannot_be_trained_ends_the_run(trained: list[Any]) -> None:
    with pytest.raises(InputError, match="the training examples have one class"):
        Train((SYSTEM,), "t", dispensable=frozenset({"other"})).execute(RUN, StepRecord("train"))
    assert trained == []


def test_a_dispensable_system_that_cannot_be_trained_is_left_out(
    trained: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    counts = StepRecord("train")
    Train((SYSTEM,), "t", dispensable=frozenset({"mine"})).execute(RUN, counts)
    assert (trained, counts.rows_out) == ([], 0)
    assert "warning: mine is left out: the training examples have one class" in capsys.readouterr().err
