"""Folders that would run code where Spark ML's or XGBoost's readers load them: refused, and nothing runs."""

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark import cloudpickle
from saved_folders import NEARBY, MakesFolder

from cqa_spark.errors import ConfigError, ContractError
from cqa_spark.lake.model_folder import OtherModelFormat, new_model_folder, open_model_folder
from cqa_spark.rankers.boosted_trees import BoostedTreesRanker
from cqa_spark.rankers.model import ModelDescription
from cqa_spark.rankers.ranker import load_model
from cqa_spark.rankers.registry import RANKERS, build_ranker
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


def test_rankers_are_found_by_name() -> None:
    assert RANKERS.load("boosted_trees") is BoostedTreesRanker
    assert " ".join(RANKERS.names()) == (
        "average boosted_trees calibrated column conditional_logit cross_fitted decomposable_attention feed_forward "
        "linear_svm logistic_regression mean_similarity random_order ridge_regression "
        "siamese_network within_query"
    )


@pytest.mark.parametrize("name", RANKERS.names())
def test_the_table_names_each_ranker_as_it_names_itself(name: str) -> None:
    assert RANKERS.load(name).name == name


def test_given_parameters_stand_beside_the_defaults_of_the_others() -> None:
    parameters = build_ranker("boosted_trees", {"trees": 7, "objective": "pairwise"}).parameters
    assert (parameters.trees, parameters.objective, parameters.workers) == (7, "pairwise", "auto")


def test_an_unknown_ranker_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("boosted_tree", {})
    assert caught.value.problem == "unknown ranker boosted_tree"
    assert caught.value.remedy == (
        "did you mean boosted_trees or logistic_regression or cross_fitted or calibrated or ridge_regression? "
        "cqa rankers list lists all 15 rankers"
    )


def test_an_unknown_parameter_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("random_order", {"sed": 3})
    assert caught.value.problem == "ranker random_order: unknown parameter sed"
    assert caught.value.remedy == "did you mean seed? known parameters: seed"


def test_all_mistakes_in_the_parameters_are_named() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("boosted_trees", {"trees": 0, "objective": "magic", "leaves": 3})
    assert "trees is 0" in caught.value.problem
    assert "objective is 'magic'" in caught.value.problem
    assert "unknown parameter leaves" in caught.value.problem


def test_a_missing_parameter_is_explained() -> None:
    with pytest.raises(ConfigError) as caught:
        build_ranker("column", {})
    assert caught.value.problem == "ranker column: parameter column is missing"
    assert caught.value.remedy == "column: initial_rank, or a feature as GROUP__COLUMN"


@pytest.mark.parametrize("name", RANKERS.names())
def test_every_parameter_is_documented(name: str) -> None:
    fields = RANKERS.load(name).parameters_type.model_fields
    assert [field for field, declared in fields.items() if not declared.description] == []
    assert RANKERS.load(name).about


def test_an_average_of_scores_that_are_not_probabilities_is_refused() -> None:
    members = [{"name": "logistic_regression"}, {"name": "boosted_trees", "parameters": {"objective": "pairwise"}}]
    with pytest.raises(ConfigError, match="boosted_trees, whose scores are not probabilities"):
        build_ranker("average", {"members": members})


def test_a_mean_of_scores_that_are_not_similarities_is_refused() -> None:
    with pytest.raises(ConfigError, match="boosted_trees, whose scores are not similarities"):
        build_ranker("mean_similarity", {"members": [{"name": "ridge_regression"}, {"name": "boosted_trees"}]})


def test_a_mistake_in_a_member_is_named() -> None:
    with pytest.raises(ConfigError, match="unknown parameter l1"):
        build_ranker("average", {"members": [{"name": "logistic_regression", "parameters": {"l1": 1}}] * 2})


def test_a_calibrated_ranker_gives_probabilities_that_can_be_averaged() -> None:
    pairwise = {"name": "boosted_trees", "parameters": {"objective": "pairwise"}}
    members = [{"name": "logistic_regression"}, {"name": "calibrated", "parameters": {"member": pairwise}}]
    assert build_ranker("average", {"members": members}).gives_probabilities


CALIBRATED = {"member": {"name": "column", "parameters": {"column": "g_v1__x"}}}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("calibrated", CALIBRATED), ("average", {"members": [{"name": "calibrated", "parameters": CALIBRATED}] * 2})],
)
def test_the_features_that_a_member_names_are_needed_by_the_whole(name: str, parameters: dict[str, object]) -> None:
    assert build_ranker(name, parameters).parameters.needs_features() == ("g_v1__x",)


def test_a_ranker_reads_texts_if_a_member_does() -> None:
    reading = {"name": "decomposable_attention"}
    members = {"members": [{"name": "within_query", "parameters": {"member": reading}}, {"name": "boosted_trees"}]}
    assert build_ranker("average", members).parameters.reads_texts()
    assert build_ranker("calibrated", {"member": reading}).parameters.reads_texts()
    assert not build_ranker("calibrated", {"member": {"name": "feed_forward"}}).parameters.reads_texts()
