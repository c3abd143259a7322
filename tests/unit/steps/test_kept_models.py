"""When a night retrains, and which model ranks afterwards; training and comparison are fakes."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from saved_folders import NEARBY

from cqa_spark.errors import ConfigError, CqaError, InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.model_folder import OtherModelFormat, new_model_folder
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.steps import kept_models
from cqa_spark.steps.kept_models import (
    Challenge,
    can_be_challenged,
    challenging_release,
    is_due,
    kept_model,
)
from cqa_spark.systems.system import System, read_system
from cqa_spark.systems.trained_system import SavedSystem

SYSTEM = System(name="mine", task="t", about="For tests.", ranker=RankerSpec(name="random_order"))
BETTER, WORSE = (
    {
        "queries": 300,
        "topics": 120,
        "difference": difference,
        "difference_low": -0.01,
        "difference_high": 0.05,
        "p_value": 0.2,
    }
    for difference in (0.02, -0.001)
)


TONIGHT, RELEASED = date(2020, 6, 1), date(2019, 1, 1)


class Examples:
    """Any query of examples, of which 120 threads have a label."""

    def __getattr__(self, name: str) -> Any:
        return (lambda: {"labels": 120, "date": TONIGHT}) if name == "first" else (lambda *arguments: self)


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
def copied() -> list[tuple[str, str]]:
    """The folders that were copied, with their targets."""
    return []


@pytest.fixture
def night(monkeypatch: pytest.MonkeyPatch, copied: list[tuple[str, str]]) -> Any:
    """Executes the step with a model of so many labels and age, against a challenger with an outcome."""
    model = SimpleNamespace(transform=lambda frame: None)

    def challenger_of(run_id: str, labels: int, newest: date) -> Any:
        card = SimpleNamespace(labels=labels, newest=newest)
        return SimpleNamespace(
            system=SYSTEM, model=model, training_run=run_id, card=card, save=lambda path, storage: None
        )

    def execute(
        outcome: Entry | CqaError | None,
        *,
        labels: int | None,
        last: Any = None,
        forced: bool = False,
        age: int = 30,
        released: str | None = None,
    ) -> FakeRun:
        card = None if labels is None else SimpleNamespace(labels=labels, newest=TONIGHT - timedelta(age))
        champion = SimpleNamespace(card=card, training_run="before", groups={}, model=model)

        @contextmanager
        def frames(*arguments: Any) -> Iterator[Any]:
            yield lambda system: Examples()

        @contextmanager
        def frame(*arguments: Any) -> Iterator[Any]:
            yield Examples()

        def fit(*arguments: Any, card: Any) -> Any:
            if isinstance(outcome, CqaError):
                raise outcome
            return challenger_of("tonight", 120, TONIGHT)

        replacements = {
            "trained_system": lambda run, name: champion, "task_examples": lambda run, task: Examples(),
            "feature_frames": frames, "fit_system": fit, "compare_models": lambda *arguments: outcome,
            "card_of": lambda *arguments: None, "training_threads": lambda *frames: None,
            "write_importances": lambda run, trained: None, "F": MagicMock(),
            "copy_folder": lambda source, target, storage: copied.append((source, target)),
            "TrainedSystem": SimpleNamespace(load=lambda path, storage: challenger_of("released", 500, RELEASED)),
        }  # fmt: skip
        for name, replacement in replacements.items():
            monkeypatch.setattr(kept_models, name, replacement)
        monkeypatch.setattr(Challenge, "_frame", frame)
        run: Any = FakeRun("models/mine")
        Challenge(SYSTEM, FeatureSettings(), last, forced, released=released).execute(run, StepRecord("retrain"))
        return run

    return execute


def published(*entries: dict[str, Any]) -> Any:
    return SimpleNamespace(entries_or_none=lambda table: list(entries))


def test_a_tenth_more_labels_are_needed_or_an_old_model_and_no_fewer_labels() -> None:
    assert [is_due(labels, 100, 364, 365) for labels in (109, 110)] == [False, True]
    assert [is_due(labels, 100, 365, 365) for labels in (99, 100)] == [False, True]


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
            "newest": TONIGHT, "released": False,
        }
    ]  # fmt: skip
    assert " ".join(capsys.readouterr().out.split()) == (
        "mine was retrained on 120 labelled threads, 100 before: P@1 +2.0 [-1.0, +5.0] on 300 nights of 120 "
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


@pytest.mark.parametrize("error", [InputError, ConfigError])
def test_a_model_that_cannot_be_retrained_stays(
    night: Any, error: type[CqaError], capsys: pytest.CaptureFixture[str]
) -> None:
    """There is too little to learn from, or executors come and go and it needs several at once."""
    run = night(error("no training", "help it"), labels=100, last=published())
    assert (run.models, run.entries) == ({}, [])
    assert "warning: mine is not retrained: no training" in " ".join(capsys.readouterr().err.split())


def test_a_system_that_the_night_left_out_is_not_retrained() -> None:
    run: Any = FakeRun(None)
    Challenge(SYSTEM, FeatureSettings(), published(), forced=True).execute(run, StepRecord("retrain"))
    assert (run.models, run.entries) == ({}, [])


def test_an_old_model_is_retrained_and_not_again_until_what_challenged_it_is_old(night: Any) -> None:
    run = night(WORSE, labels=120, age=365, last=published())
    assert [entry["newest"] for entry in run.entries] == [TONIGHT]
    again = night(BETTER, labels=120, age=365, last=published(*run.entries))
    assert (again.models, again.entries) == ({}, run.entries)
    yearly = [entry | {"newest": TONIGHT - timedelta(365)} for entry in run.entries]
    assert night(BETTER, labels=120, age=800, last=published(*yearly)).entries[0]["won"]


def test_the_model_of_a_release_that_is_not_worse_ranks_as_it_is(
    night: Any, copied: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    run = night(BETTER, labels=120, last=published(), released="package/mine")
    assert list(run.models) == ["model/mine"]
    assert copied == [("package/mine", "models/challenger/model/mine")]
    [entry] = run.entries
    assert (entry["run_id"], entry["labels"], entry["newest"], entry["released"]) == ("released", 500, RELEASED, True)
    assert " ".join(capsys.readouterr().out.split()) == (
        "mine comes with this release as a model trained on 500 labelled threads, 120 before: P@1 +2.0 [-1.0, "
        "+5.0] on 300 nights of 120 threads: the model of the release ranks from now on"
    )


def test_a_worse_model_of_a_release_is_remembered_beside_what_was_retrained(
    night: Any, copied: list[tuple[str, str]]
) -> None:
    retrained = night(WORSE, labels=100, last=published()).entries
    run = night(WORSE, labels=100, last=published(*retrained), released="package/mine")
    assert (run.models, copied) == ({}, [])
    assert [(entry["run_id"], entry["won"]) for entry in run.entries] == [("tonight", False), ("released", False)]


def test_without_a_night_to_compare_on_the_newer_release_ranks(night: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run = night(None, labels=120, last=published(), released="package/mine")
    assert list(run.models) == ["model/mine"]
    assert "no replayed night compares them: the model of the release ranks" in capsys.readouterr().out


# What a night does with the model of the night before, where this release does not read it.


@pytest.fixture
def earlier(tmp_path: Path) -> str:
    (tmp_path / "system.json").write_text("{}")
    return str(tmp_path)


def test_a_model_of_an_earlier_release_is_trained_again(earlier: str, capsys: pytest.CaptureFixture[str]) -> None:
    last: Any = SimpleNamespace(record=SimpleNamespace(artifacts={"model/mine": earlier}))
    assert kept_model(SYSTEM, last, NEARBY) is None
    assert capsys.readouterr().err == (
        f"warning: mine is not ranked with its last model: {earlier} has no manifest.json: "
        "the model was saved by an earlier release, or is incomplete\n"
    )


def test_a_named_model_of_an_earlier_release_is_refused(earlier: str) -> None:
    with pytest.raises(OtherModelFormat, match="saved by an earlier release"):
        kept_model(SYSTEM, None, NEARBY, earlier)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Makes a folder of a model of ``SYSTEM`` by the run that trained it; that of "new" is the package's."""

    def model(trained_in: str) -> str:
        folder = tmp_path / "runs" / f"{trained_in}.1" / "models" / "mine"
        with new_model_folder(str(folder), "trained_system", NEARBY) as files:
            files.write_json(
                "system.json", SavedSystem(system=SYSTEM, features=(), training_run=trained_in, libraries={})
            )
        return str(folder)

    shipped = model("new")
    monkeypatch.setattr(kept_models, "shipped_model", lambda name: shipped)
    return model


def test_a_model_that_is_named_ranks_instead_of_the_published_one(models: Callable[[str], str], tmp_path: Path) -> None:
    shipped, published, other = models("new"), models("published"), models("other")
    copy = str(shutil.copytree(published, tmp_path / "copy"))
    last: Any = SimpleNamespace(record=SimpleNamespace(artifacts={"model/mine": published}))
    first_night: Any = SimpleNamespace(record=SimpleNamespace(artifacts={}))
    assert kept_model(SYSTEM, last, NEARBY) == published
    assert kept_model(SYSTEM, last, NEARBY, other) == other
    assert kept_model(SYSTEM, last, NEARBY, shipped) == shipped
    assert kept_model(SYSTEM, last, NEARBY, copy) == published  # the same files: nothing is copied to the lake
    for nothing in (None, first_night):
        assert kept_model(SYSTEM, nothing, NEARBY) == shipped
        assert kept_model(SYSTEM, nothing, NEARBY, copy) == copy


def lake_of(folder: Path, *challenges: dict[str, Any], named: str | None = None) -> Any:
    """A published run of a lake whose runs had the setting ``model``."""
    lake = SimpleNamespace(path=lambda key: f"{folder}/{key}", objects=None)
    return SimpleNamespace(
        lake=lake, entries_or_none=lambda table: list(challenges), config=f"model: {named or 'null'}"
    )


def test_the_model_of_another_release_challenges_that_of_the_lake_once(
    models: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def challenging(kept: str, last: Any) -> str | None:
        log = SimpleNamespace(records=lambda run_id: asked.append(run_id) or [last])
        monkeypatch.setattr(kept_models, "RunLog", lambda objects: log)
        return challenging_release(SYSTEM, kept, last, NEARBY)

    new, old = models("new"), models("old")
    assert challenging(old, lake_of(tmp_path)) == new
    assert asked == ["old"]
    assert challenging(new, lake_of(tmp_path)) is None
    assert challenging(old, lake_of(tmp_path, named="/somewhere")) is None
    assert challenging_release(SYSTEM, old, None, NEARBY) is None
    assert challenging_release(SYSTEM.model_copy(update={"task": "u"}), old, lake_of(tmp_path), NEARBY) is None
    lost = {"system": "mine", "run_id": "new", "champion": "old"}
    assert challenging(old, lake_of(tmp_path, lost)) is None
    assert challenging(old, lake_of(tmp_path, lost | {"run_id": "other"})) == new
    assert challenging(old, lake_of(tmp_path, lost | {"system": "other"})) == new
