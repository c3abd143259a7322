"""What a night does with the model of the night before, where this release does not read it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from saved_folders import NEARBY

from cqa_spark.lake.model_folder import OtherModelFormat, new_model_folder
from cqa_spark.rankers.ranker import RankerSpec
from cqa_spark.steps import kept_models
from cqa_spark.steps.kept_models import challenging_release, kept_model
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import SavedSystem

SYSTEM = System(name="mine", task="t", about="For tests.", ranker=RankerSpec(name="random_order"))


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
