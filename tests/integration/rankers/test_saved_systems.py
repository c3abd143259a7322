from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqa_spark.errors import InputError
from cqa_spark.systems.saved_system import load_system, save_system
from cqa_spark.systems.system import RankerSpec, System

SYSTEM = System(
    name="mine",
    task="t",
    about="For tests.",
    feature_groups=("g_v1",),
    ranker=RankerSpec(name="column", parameters={"column": "g_v1__signal"}),
)


def test_a_saved_system_is_what_it_was(training, tmp_path: Path) -> None:
    model = SYSTEM.build().fit(training)
    save_system(str(tmp_path / "mine"), SYSTEM, model, "run1")
    saved, loaded = load_system(str(tmp_path / "mine"))
    assert saved.system == SYSTEM
    assert saved.features == ("g_v1__signal", "g_v1__noise")
    assert saved.training_run == "run1"
    assert loaded.transform(training).collect() == model.transform(training).collect()


def test_the_description_is_a_plain_file_that_people_can_read(training, tmp_path: Path) -> None:
    save_system(str(tmp_path), SYSTEM, SYSTEM.build().fit(training), "run1")
    written = json.loads((tmp_path / "system.json").read_text(encoding="utf-8"))
    assert written["system"]["ranker"]["name"] == "column"
    assert {"python", "pyspark", "xgboost-cpu"} <= set(written["libraries"])


def test_saving_again_replaces_the_model(training, tmp_path: Path) -> None:
    learned = SYSTEM.model_copy(update={"ranker": RankerSpec(name="logistic_regression")})
    for run in ("run1", "run2"):
        save_system(str(tmp_path), learned, learned.build().fit(training), run)
    assert load_system(str(tmp_path))[0].training_run == "run2"


def test_a_folder_without_a_system_is_refused(spark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no .*system\.json"):
        load_system(str(tmp_path))


def test_a_damaged_description_is_refused(spark, tmp_path: Path) -> None:
    (tmp_path / "system.json").write_text('{"system": 3}', encoding="utf-8")
    with pytest.raises(InputError, match="does not describe a saved model"):
        load_system(str(tmp_path))
