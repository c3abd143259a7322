"""Sentences of recipes about predictions of relevance, compared with the rankers and with measured recalls."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from cqa_spark.rankers.calibrated import CalibratedRanker
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.systems.system import System, known_systems, read_system

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
