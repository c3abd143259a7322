import json
from pathlib import Path

from saved_folders import NEARBY

from cqa_spark.lake.model_folder import new_model_folder, open_model_folder
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import SavedSystem, load_system, save_system

SYSTEM = System(
    name="mine",
    task="t",
    about="For tests.",
    feature_groups=("g_v1",),
    ranker=RankerSpec(name="column", parameters={"column": "g_v1__signal"}),
)


def save(path: Path, system: System, model: RankerModel, run: str = "run1") -> None:
    with new_model_folder(str(path), "trained_system", NEARBY) as folder:
        save_system(folder, system, model, run)


def load(path: Path) -> tuple[SavedSystem, RankerModel]:
    return load_system(open_model_folder(str(path), "trained_system", NEARBY))


def test_a_saved_system_is_what_it_was(training, tmp_path: Path) -> None:
    model = SYSTEM.build().fit(training)
    save(tmp_path / "mine", SYSTEM, model)
    saved, loaded = load(tmp_path / "mine")
    assert saved.system == SYSTEM
    assert saved.features == ("g_v1__signal", "g_v1__noise")
    assert saved.training_run == "run1"
    assert loaded.transform(training).collect() == model.transform(training).collect()


def test_the_description_is_a_plain_file_that_people_can_read(training, tmp_path: Path) -> None:
    save(tmp_path, SYSTEM, SYSTEM.build().fit(training))
    written = json.loads((tmp_path / "system.json").read_text(encoding="utf-8"))
    assert written["system"]["ranker"]["name"] == "column"
    assert {"python", "pyspark", "xgboost-cpu"} <= set(written["libraries"])


def test_saving_again_replaces_the_model(training, tmp_path: Path) -> None:
    learned = SYSTEM.model_copy(update={"ranker": RankerSpec(name="logistic_regression")})
    save(tmp_path, learned, learned.build().fit(training))
    save(tmp_path, SYSTEM, SYSTEM.build().fit(training), "run2")
    assert load(tmp_path)[0].training_run == "run2"
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["manifest.json", "ranker/model.json", "system.json"]
