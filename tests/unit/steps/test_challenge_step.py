"""When a night retrains, and which model ranks afterwards; training and comparison are fakes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.errors import InputError
from cqa_spark.evaluation.challenge import ChallengeResult
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.rankers.spec import RankerSpec
from cqa_spark.steps import challenge as module
from cqa_spark.steps.challenge import Challenge, can_be_challenged, is_due
from cqa_spark.systems.system import System, read_system

SYSTEM = System(name="mine", task="t", about="For tests.", ranker=RankerSpec(name="random_order"))
BETTER = ChallengeResult(0.02, -0.01, 0.05, 0.2, 300, 120)
WORSE = BETTER._replace(difference=-0.001)


class Examples:
    """Any query of examples, of which 120 threads have a label."""

    def __getattr__(self, name: str) -> Any:
        return (lambda: 120) if name == "count" else (lambda *arguments: self)


class FakeRun:
    """Takes what the step writes."""

    run_id = "tonight"

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.entries: list[dict[str, Any]] = []
        self.lake = SimpleNamespace(storage=None)
        self.models: dict[str, Any] = {}

    def write_entries(self, table: Any, entries: list[dict[str, Any]]) -> None:
        assert table is CHALLENGES
        self.entries = table.conform(entries)

    def artifact(self, name: str) -> str | None:
        return self.folder

    def read(self, table: Any) -> None:
        return None

    def artifact_path(self, *parts: str) -> str:
        return "/".join(parts)

    def add_artifact(self, name: str, path: str, loaded: Any) -> None:
        self.models[name] = loaded


@pytest.fixture
def night(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Executes the step with a model of so many labels, against a challenger with an outcome."""
    model = SimpleNamespace(transform=lambda frame: None)

    def execute(
        outcome: ChallengeResult | InputError, *, labels: int | None, last: Any = None, forced: bool = False
    ) -> FakeRun:
        card = None if labels is None else SimpleNamespace(labels=labels)
        champion = SimpleNamespace(card=card, training_run="before", groups={}, model=model)
        challenger = SimpleNamespace(system=SYSTEM, model=model, save=lambda path, storage: None)

        @contextmanager
        def frames(*arguments: Any) -> Iterator[Any]:
            yield Examples()

        def learn(*arguments: Any) -> Any:
            if isinstance(outcome, InputError):
                raise outcome
            return challenger

        replacements = {
            "trained_system": lambda run, name: champion, "task_examples": lambda run, task: Examples(),
            "learn": learn, "challenge": lambda *models: outcome,
            "write_importances": lambda run, trained: None,
        }  # fmt: skip
        for name, replacement in replacements.items():
            monkeypatch.setattr(module, name, replacement)
        monkeypatch.setattr(Challenge, "_frame", frames)
        run: Any = FakeRun("models/mine")
        Challenge(SYSTEM, FeatureSettings(), last, forced).execute(run, StepRecord("retrain"))
        return run

    return execute


def published(*entries: dict[str, Any]) -> Any:
    return SimpleNamespace(entries_or_none=lambda table: list(entries))


def test_a_tenth_more_labels_than_learned_or_challenged_are_needed() -> None:
    assert [is_due(labels, 100, 0) for labels in (109, 110)] == [False, True]
    assert [is_due(labels, 100, 200) for labels in (219, 220)] == [False, True]


def test_only_models_that_score_out_of_fold_can_be_compared() -> None:
    assert can_be_challenged(read_system("night_answers"))
    assert not can_be_challenged(SYSTEM)


def test_a_first_night_retrains_only_when_told_to(night: Any) -> None:
    assert night(BETTER, labels=50).entries == []
    assert night(BETTER, labels=50, forced=True).entries[0]["won"]


def test_a_retrained_model_that_is_not_worse_ranks(night: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run = night(BETTER, labels=100, last=published())
    assert list(run.models) == ["model/mine"]
    assert run.entries == [
        {
            "system": "mine", "run_id": "tonight", "champion": "before", "champion_labels": 100, "labels": 120,
            "difference": 0.02, "low": -0.01, "high": 0.05, "p_value": 0.2, "queries": 300, "threads": 120, "won": True,
        }
    ]  # fmt: skip
    assert " ".join(capsys.readouterr().out.split()) == (
        "mine was retrained on 120 labelled threads, 100 before: P@1 +2.0 (95 % -1.0 to +5.0) on 300 nights of 120 "
        "threads: the retrained model ranks from now on"
    )


def test_a_worse_one_does_not_and_is_not_tried_again_before_there_is_more_to_learn(
    night: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run = night(WORSE, labels=100, last=published())
    assert (run.models, run.entries[0]["won"]) == ({}, False)
    assert "the earlier model stays" in " ".join(capsys.readouterr().out.split())
    again = night(BETTER, labels=100, last=published(*run.entries))
    assert (again.models, again.entries) == ({}, run.entries)


def test_a_model_without_a_card_is_retrained_only_when_told_to(night: Any) -> None:
    assert night(BETTER, labels=None, last=published()).entries == []
    assert night(BETTER, labels=None, last=published(), forced=True).entries[0]["champion_labels"] == 0


def test_a_site_with_too_little_to_learn_from_keeps_its_model(night: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run = night(InputError("nothing to learn from", "more dumps"), labels=100, last=published())
    assert (run.models, run.entries) == ({}, [])
    assert "warning: mine is not retrained: nothing to learn from" in " ".join(capsys.readouterr().err.split())


def test_a_system_that_the_night_left_out_is_not_retrained() -> None:
    run: Any = FakeRun(None)
    Challenge(SYSTEM, FeatureSettings(), published(), forced=True).execute(run, StepRecord("retrain"))
    assert (run.models, run.entries) == ({}, [])
