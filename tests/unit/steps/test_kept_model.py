"""What a night does with the model of the night before, where this release does not read it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.model_folder.manifest import OtherModelFormat
from cqa_spark.rankers.spec import RankerSpec
from cqa_spark.steps.kept_models import kept_model
from cqa_spark.systems.system import System

SYSTEM = System(name="mine", task="t", about="For tests.", ranker=RankerSpec(name="random_order"))


@pytest.fixture
def earlier(tmp_path: Path) -> str:
    (tmp_path / "system.json").write_text("{}")
    return str(tmp_path)


def test_a_model_of_an_earlier_release_is_trained_again(earlier: str, capsys: pytest.CaptureFixture[str]) -> None:
    last: Any = SimpleNamespace(record=SimpleNamespace(artifacts={"model/mine": earlier}))
    assert kept_model(SYSTEM, last, ObjectStorageSettings()) is None
    assert capsys.readouterr().err == (
        f"warning: mine is not ranked with its last model: {earlier} has no manifest.json: "
        "the model was saved by an earlier release, or is incomplete\n"
    )


def test_a_named_model_of_an_earlier_release_is_refused(earlier: str) -> None:
    with pytest.raises(OtherModelFormat, match="saved by an earlier release"):
        kept_model(SYSTEM, None, ObjectStorageSettings(), earlier)
