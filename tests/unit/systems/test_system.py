import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from cqa_spark.errors import ConfigError
from cqa_spark.features.registry import embedding_models
from cqa_spark.rankers.calibrated import CalibratedRanker
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.settings.conf_files import OVERLAY
from cqa_spark.steps.upstream import upstream_of
from cqa_spark.systems.recipes import read_systems, task_of
from cqa_spark.systems.system import System, known_systems, read_recipe, read_system

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


# Sentences of recipes about predictions of relevance, compared with the rankers and with measured recalls.

FIGURES = Path(__file__).resolve().parents[3] / "conf" / "reproduced.json"
SCORES = json.loads(FIGURES.read_text(encoding="utf-8"))["values"]

ABOUT_PREDICTIONS = re.compile(r"(?i)predict|threshold|margin|probability above|graded labels")


def predicted(system: System) -> Literal["all", "none", "some"]:
    """Which candidates the system predicts relevant."""
    ranker = system.build()
    if not issubclass(ranker.model_type, BaselineModel):
        return "some"
    return ranker.parameters.model_dump().get("predict", "all")


def published_recalls(system: System) -> set[float]:
    """The recalls that the paper reports."""
    return {expected.measures["Recall"] for expected in system.expected.values() if "Recall" in expected.measures}


def parameters_within(values: Any) -> Iterator[Mapping[str, Any]]:
    """The parameters of a ranker and of its members."""
    if isinstance(values, Mapping):
        yield values
    if isinstance(values, Mapping | list | tuple):
        for value in values.values() if isinstance(values, Mapping) else values:
            yield from parameters_within(value)


def named(system: System, parameter: str) -> list[Any]:
    """The values that the recipe gives to a parameter of the ranker or of its members."""
    return [given[parameter] for given in parameters_within(system.ranker.parameters) if parameter in given]


def fits_pairs(system: System) -> bool:
    """Whether trees are fitted to pairs of candidates, by their labels."""
    return "pairwise" in named(system, "objective")


def calibrates(system: System) -> bool:
    """Whether the threshold is chosen on out-of-fold scores that are calibrated first."""
    return isinstance(system.build(), CalibratedRanker)


TRUE_IF: dict[str, Callable[[System], bool]] = {
    r"very candidate is (predicted )?relevant": lambda system: predicted(system) == "all",
    r"no candidate is relevant|no question has a duplicate": lambda system: predicted(system) == "none",
    r"submission predicted every candidate relevant, hence its recall of 1": lambda system: (
        published_recalls(system) == {1.0}
    ),
    r"submission predicted no candidate relevant, hence its recall of 0": lambda system: (
        published_recalls(system) == {0.0}
    ),
    r"here, a threshold is learned": lambda system: predicted(system) == "some" and fits_pairs(system),
    r"here, a probability above 0.5 is required": lambda system: (
        system.build().gives_probabilities and not named(system, "threshold") and not calibrates(system)
    ),
    r"threshold [^.]*chosen on out-of-fold scores": calibrates,
    r"Pairs use graded labels": fits_pairs,
    r"the acceptance to be predicted": lambda system: system.task == "preferred_answer",
}
"""What must hold of a recipe whose text has a match of the pattern."""


def sentences(system: System) -> list[str]:
    """The sentences of a recipe's text."""
    texts = (system.about, system.reproduces, system.replaces, system.missing)
    return [sentence for text in texts for sentence in re.split(r"(?<=\.)\s", " ".join(text.split())) if sentence]


@pytest.mark.parametrize("name", known_systems())
def test_sentences_about_predictions_state_what_the_recipe_does(name: str) -> None:
    system = read_system(name)
    for sentence in filter(ABOUT_PREDICTIONS.search, sentences(system)):
        claims = [holds(system) for pattern, holds in TRUE_IF.items() if re.search(pattern, sentence)]
        assert claims, f"{name}: no test knows this sentence: {sentence}"
        assert all(claims), f"{name}: {sentence}"


@pytest.mark.parametrize("name", [name for name in known_systems() if name in SCORES])
def test_measured_recalls_are_those_of_the_predictions(name: str) -> None:
    recalls = [values["Recall"] for values in SCORES[name].values() if "Recall" in values]
    expected = {"all": {1.0}, "none": {0.0}}.get(predicted(read_system(name)))
    assert all({recall} == expected if expected else 0 < recall < 1 for recall in recalls)


def test_recipes_say_so_if_only_the_submission_predicted_all_or_no_candidates_relevant() -> None:
    systems = [read_system(name) for name in known_systems()]
    learned = [system for system in systems if predicted(system) == "some" and published_recalls(system) & {0.0, 1.0}]
    assert [(system.name, "The submission predicted" in system.replaces) for system in learned] == [
        ("beihang_msra_2017_a", True),
        ("beihang_msra_2017_b", True),
        ("like_gw_qa_2017_d", True),
        ("like_learning_to_question_2017_b", True),
    ]


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
