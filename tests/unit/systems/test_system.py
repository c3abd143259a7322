import json
from pathlib import Path

import pytest
import yaml

from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import embedding_models
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.settings.conf_files import OVERLAY
from cqa_spark.steps.upstream import upstream_of
from cqa_spark.systems.recipes import read_systems, task_of
from cqa_spark.systems.system import known_systems, read_recipe, read_system

CONF = Path(__file__).resolve().parents[3] / "conf"


def write(conf: Path, file: str, **changes: object) -> None:
    system = {
        "name": file,
        "task": "question_comment",
        "about": "For tests.",
        "ranker": {"name": "random_order", "parameters": {"seed": 3}},
    }
    (conf / "systems").mkdir(exist_ok=True)
    (conf / "systems" / f"{file}.yaml").write_text(yaml.safe_dump(system | changes), encoding="utf-8")


@pytest.fixture(autouse=True)
def _of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OVERLAY, str(tmp_path))


def refusal(name: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_system(name)
    return str(caught.value)


def test_a_system_is_read(tmp_path: Path) -> None:
    write(tmp_path, "mine", expected={"dev": {"source": "a paper", "measures": {"MAP@10": 0.5}}})
    system = read_system("mine")
    assert (system.name, system.task, system.feature_groups) == ("mine", "question_comment", ())
    assert system.build().parameters.seed == 3
    assert system.expected["dev"].measures == {"MAP@10": 0.5}


def test_systems_are_listed_in_alphabetical_order(tmp_path: Path) -> None:
    write(tmp_path, "beta")
    write(tmp_path, "alpha")
    assert {"alpha", "beta", "best_a"} < set(known_systems())
    assert list(known_systems()) == sorted(known_systems())


def test_an_unknown_system_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    write(tmp_path, "given_order")
    assert "did you mean given_order" in refusal("given_ordr")


def test_an_unknown_key_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    write(tmp_path, "mine", feature_group=["lexicon_v2"])
    assert "unknown key feature_group\n      → did you mean feature_groups?" in refusal("mine")


def test_an_unknown_key_of_the_ranker_is_answered_with_the_rankers_keys(tmp_path: Path) -> None:
    write(tmp_path, "mine", ranker={"name": "random_order", "seed": 3})
    assert "unknown key ranker.seed\n      → known keys: name, parameters" in refusal("mine")


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    write(tmp_path, "mine", name="yours", feature_groups=["lexicn_v1"], ranker={"name": "forest"})
    message = refusal("mine")
    assert "name is yours, the file is mine.yaml" in message
    assert "unknown feature group lexicn_v1" in message
    assert "did you mean lexicon_v2" in message
    assert "unknown ranker forest" in message


def test_a_ranker_that_orders_by_a_feature_of_another_group_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "mine", ranker={"name": "column", "parameters": {"column": "lexicon_v2__score"}})
    assert "the ranker needs lexicon_v2__score" in refusal("mine")


def test_a_file_that_is_not_yaml_is_refused_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "mine.yaml").write_text("name: mine\ntask: [", encoding="utf-8")
    assert "line 2" in refusal("mine")


@pytest.mark.parametrize("name", ["../systems/mine", "../mine", "./mine", "conf/systems/mine.yaml"])
def test_a_path_is_no_system(tmp_path: Path, name: str) -> None:
    write(tmp_path, "mine")
    (tmp_path / "mine.yaml").write_text((tmp_path / "systems" / "mine.yaml").read_text(encoding="utf-8"))
    assert f"unknown system {name}\n  → did you mean mine or " in refusal(name)


def test_yaml_that_runs_code_is_refused_with_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    path = tmp_path / "systems" / "mine.yaml"
    path.write_text("name: mine\nabout: !!python/object/apply:os.getcwd []\n", encoding="utf-8")
    assert f"{path}, line 2, column 8: the tag !!python/object/apply:os.getcwd" in refusal("mine")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "mine.yaml").write_text("", encoding="utf-8")
    assert "the file: " in refusal("mine")


@pytest.mark.parametrize("name", known_systems())
def test_the_published_systems_can_be_read(name: str) -> None:
    assert read_system(name).name == name


# Predictions of relevance, compared with measured recalls.

FIGURES = Path(__file__).resolve().parents[3] / "conf" / "reproduced.json"
SCORES = json.loads(FIGURES.read_text(encoding="utf-8"))["values"]


@pytest.mark.parametrize("name", [name for name in known_systems() if name in SCORES])
def test_measured_recalls_are_those_of_the_predictions(name: str) -> None:
    ranker = read_system(name).build()
    predicts = (
        ranker.parameters.model_dump().get("predict", "all") if issubclass(ranker.model_type, BaselineModel) else ""
    )
    recalls = [values["Recall"] for values in SCORES[name].values() if "Recall" in values]
    expected = {"all": {1.0}, "none": {0.0}}.get(predicts)
    assert all({recall} == expected if expected else 0 < recall < 1 for recall in recalls)


# What the systems of a job have in common.


def test_the_task_is_that_of_the_systems():
    assert task_of(read_systems(["best_b", "search_order_b"])) == "question_question"


def test_systems_of_several_tasks_are_refused():
    with pytest.raises(ConfigError) as caught:
        task_of(read_systems(["given_order", "best_b"]))
    assert caught.value.problem == (
        "the systems are for several tasks: given_order (question_comment), best_b (question_question)"
    )


def test_recipes_with_a_model_published_after_their_paper_are_modern_substitutes():
    systems = [system for system in read_systems(known_systems()) if system.paper is not None]
    of_the_period = {"glove"}  # of 2014
    with_encoder = {system.name for system in systems if {*embedding_models(system.feature_groups)} - of_the_period}
    assert with_encoder == {system.name for system in systems if system.faithfulness == "modern substitute"}


def test_surrogates_do_not_have_the_names_of_the_published_systems():
    systems = read_systems(known_systems())
    surrogates = {system.name for system in systems if system.faithfulness == "surrogate"}
    assert surrogates == {system.name for system in systems if system.name.startswith("like_")}


@pytest.mark.parametrize("name", [name for name in known_systems() if read_recipe(name).upstream])
def test_recipes_build_on_upstream_systems_that_a_job_accepts(name):
    system = read_system(name)
    assert {each.system.name for each in upstream_of([system])} == {*system.upstream}
