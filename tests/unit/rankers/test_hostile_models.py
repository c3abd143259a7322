"""Folders that would run code where Spark ML's or XGBoost's readers load them: refused, and nothing runs."""

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark import cloudpickle
from saved_folders import NEARBY, MakesFolder

from cqa_spark.errors import ContractError
from cqa_spark.lake.model_folder import OtherModelFormat, new_model_folder, open_model_folder
from cqa_spark.rankers.model import ModelDescription
from cqa_spark.rankers.ranker import load_model
from cqa_spark.systems.trained_system import TrainedSystem

MODULE = "stage_of_somebody_else"
FEATURES = ("g_v1__signal",)


@pytest.fixture
def touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is there once hostile code has run; a module of the name ``MODULE`` makes it when it is imported."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / f"{MODULE}.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'touched')!r})\n")
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    return tmp_path / "touched"


def with_callbacks(touched: Path) -> tuple[str, dict[str, str]]:
    """The metadata of an XGBoost model whose callbacks are a pickle that touches something."""
    pickled = base64.encodebytes(cloudpickle.dumps(MakesFolder(touched))).decode("ascii")
    metadata = {
        "class": "xgboost.spark.estimator.SparkXGBClassifierModel", "timestamp": 1, "sparkVersion": "3.5.8",
        "uid": "SparkXGBClassifierModel_1", "paramMap": {}, "defaultParamMap": {}, "serialized_callbacks": pickled,
    }  # fmt: skip
    return "boosted_trees", {"learned/metadata/part-00000": json.dumps(metadata)}


def with_a_foreign_stage(touched: Path) -> tuple[str, dict[str, str]]:
    """A pipeline with a stage whose class is in a module of somebody else."""
    common = {"timestamp": 1, "sparkVersion": "3.5.8", "defaultParamMap": {}}
    parameters = {"language": "Python", "stageUids": ["Stage_1"]}
    pipeline = {"class": "pyspark.ml.pipeline.PipelineModel", "uid": "PipelineModel_1", "paramMap": parameters}
    stage = {"class": f"{MODULE}.Stage", "uid": "Stage_1", "paramMap": {}}
    return "logistic_regression", {
        "learned/metadata/part-00000": json.dumps(pipeline | common),
        "learned/stages/0_Stage_1/metadata/part-00000": json.dumps(stage | common),
    }


HOSTILE = pytest.mark.parametrize("hostile", [with_callbacks, with_a_foreign_stage])
Hostile = Callable[[Path], tuple[str, dict[str, str]]]


def description(ranker: str) -> ModelDescription:
    return ModelDescription(ranker=ranker, parameters={}, features=FEATURES, threshold=0.5)


def system_json(ranker: str) -> str:
    system = {"name": "mine", "task": "t", "about": "For tests.", "ranker": {"name": ranker}}
    return json.dumps({"system": system, "features": FEATURES, "training_run": "r1", "libraries": {}})


@HOSTILE
def test_a_folder_as_earlier_releases_saved_it_is_refused_before_it_is_read(
    hostile: Hostile, touched: Path, tmp_path: Path
) -> None:
    ranker, files = hostile(touched)
    named = {f"ranker/{name}": text for name, text in files.items()}
    named |= {"system.json": system_json(ranker), "ranker/model.json": description(ranker).model_dump_json()}
    for name, text in named.items():
        path = tmp_path / "model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with pytest.raises(OtherModelFormat, match="saved by an earlier release, or is incomplete") as caught:
        TrainedSystem.load(str(tmp_path / "model"), NEARBY)
    assert caught.value.exit_code == 5
    assert "retrain it with this release; nothing was loaded from the folder" in caught.value.remedy
    assert not touched.exists()
    assert MODULE not in sys.modules


@HOSTILE
def test_spark_metadata_is_never_read_even_where_the_manifest_lists_it(
    hostile: Hostile, touched: Path, tmp_path: Path
) -> None:
    ranker, files = hostile(touched)
    with new_model_folder(str(tmp_path / "model"), "ranker", NEARBY) as folder:
        folder.write_json("model.json", description(ranker))
        for name, text in files.items():
            folder.write_bytes(name, text.encode())
    with pytest.raises(ContractError, match=r"learned/(trees|numbers)\.json: the manifest does not list it"):
        load_model(open_model_folder(str(tmp_path / "model"), "ranker", NEARBY))
    assert not touched.exists()
    assert MODULE not in sys.modules


@pytest.mark.parametrize("ranker", [f"{MODULE}.Stage", f"{MODULE}:Stage", "pyspark.ml.PipelineModel", "boosted_tree"])
def test_a_ranker_that_is_not_in_the_table_is_refused(ranker: str, touched: Path, tmp_path: Path) -> None:
    with new_model_folder(str(tmp_path / "model"), "ranker", NEARBY) as folder:
        folder.write_json("model.json", ModelDescription(ranker=ranker, parameters={}, features=FEATURES))
    with pytest.raises(ContractError, match="unknown ranker") as caught:
        load_model(open_model_folder(str(tmp_path / "model"), "ranker", NEARBY))
    assert caught.value.exit_code == 5
    assert not touched.exists()


def test_parameters_that_the_ranker_does_not_take_are_refused(tmp_path: Path) -> None:
    with new_model_folder(str(tmp_path / "model"), "ranker", NEARBY) as folder:
        wrong = description("boosted_trees").model_copy(update={"parameters": {"callbacks": "os.system"}})
        folder.write_json("model.json", wrong)
    with pytest.raises(ContractError, match=r"model\.json: ranker boosted_trees: unknown parameter callbacks"):
        load_model(open_model_folder(str(tmp_path / "model"), "ranker", NEARBY))


@pytest.mark.parametrize(
    ("ranker", "name", "data", "message"),
    [
        ("boosted_trees", "trees.json", b"", "Invalid JSON"),
        ("boosted_trees", "trees.json", b"{L\\x00", "Invalid JSON"),
        ("boosted_trees", "trees.json", b'{"learner": {}}', "learner.attributes: Field required"),
        ("logistic_regression", "numbers.json", b"{}", "mean: Field required"),
        (
            "linear_svm",
            "numbers.json",
            b'{"mean": [0, 0], "std": [1, 1], "coefficients": [1, 1], "intercept": 0}',
            "it is for 2 features, not 1",
        ),
    ],
)
def test_what_does_not_fit_the_ranker_is_refused(
    ranker: str, name: str, data: bytes, message: str, tmp_path: Path
) -> None:
    with new_model_folder(str(tmp_path / "model"), "ranker", NEARBY) as folder:
        folder.write_json("model.json", description(ranker))
        folder.within("learned").write_bytes(name, data)
    with pytest.raises(ContractError, match=message):
        load_model(open_model_folder(str(tmp_path / "model"), "ranker", NEARBY))
