"""What steps find out before Spark starts: libraries and models that are not installed."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.studies import TRIALS
from cqa_spark.process import failures as extras
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.steps import train
from cqa_spark.steps.embed import Embed
from cqa_spark.steps.train import Train, tuned_systems
from cqa_spark.systems.recipes import read_systems
from cqa_spark.systems.system import System
from cqa_spark.text.encoders import encoder
from cqa_spark.text.encoders import model as model_files

NETWORK = RankerSpec(name="feed_forward", parameters={})
LINEAR = RankerSpec(name="logistic_regression", parameters={})


@pytest.mark.parametrize(
    "ranker",
    [
        NETWORK,
        RankerSpec(name="calibrated", parameters={"member": NETWORK}),
        RankerSpec(name="within_query", parameters={"member": NETWORK}),
        RankerSpec(name="average", parameters={"members": (LINEAR, NETWORK)}),
    ],
    ids=lambda ranker: ranker.name,
)
def test_a_ranker_without_its_library(ranker: RankerSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    [linear] = read_systems(["logistic_a"])
    Train([linear], linear.task).prepare()
    with pytest.raises(EnvironmentProblem, match=r"needs jax and onnx.*\n.*cqa-spark\[all,neural\]"):
        Train([linear.model_copy(update={"ranker": ranker})], linear.task).prepare()


def test_an_embedding_model_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_files, "jars_folder", lambda: tmp_path)
    monkeypatch.setattr(model_files, "models_folder", lambda: tmp_path)
    encoder.load_encoder.cache_clear()
    with pytest.raises(EnvironmentProblem, match="the embedding model minilm is not installed"):
        Embed(["minilm"]).prepare()


# Systems that cannot be trained: the run ends with a required one, and goes on without a dispensable one.


def without_labels(frame: object) -> None:
    raise InputError("the training examples have one class", "add others")


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The systems whose importances are written; Spark's part is left out."""
    written: list[Any] = []
    for name in ("tuned_systems", "usable_systems"):
        monkeypatch.setattr(train, name, lambda run, systems: systems)
    monkeypatch.setattr(train, "task_examples", lambda run, task: SimpleNamespace(where=lambda condition: None))
    monkeypatch.setattr(train, "_with_missed", lambda run, examples: examples)
    monkeypatch.setattr(train, "training_threads", lambda *frames: None)
    monkeypatch.setattr(train, "persisted", lambda *frames: nullcontext(frames))
    monkeypatch.setattr(train, "_frames", lambda *arguments: nullcontext(lambda system: None))
    monkeypatch.setattr(train, "write_importances", lambda run, systems: written.extend(systems))
    return written


SYSTEM: Any = SimpleNamespace(name="mine", upstream=(), build=lambda: SimpleNamespace(fit=without_labels))
RUN: Any = SimpleNamespace(read=lambda table: None, run_id="r1")


def test_a_required_system_that_cannot_be_trained_ends_the_run(trained: list[Any]) -> None:
    with pytest.raises(InputError, match="the training examples have one class"):
        Train((SYSTEM,), "t", dispensable=frozenset({"other"})).execute(RUN, StepRecord("train"))
    assert trained == []


def test_a_dispensable_system_that_cannot_be_trained_is_left_out(
    trained: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    counts = StepRecord("train")
    Train((SYSTEM,), "t", dispensable=frozenset({"mine"})).execute(RUN, counts)
    assert (trained, counts.rows_out) == ([], 0)
    assert "warning: mine is left out: the training examples have one class" in capsys.readouterr().err


# Which parameters systems have after a search on the same run.

LOGISTIC = System(
    name="logistic",
    task="question_comment",
    about="For tests.",
    ranker=RankerSpec(name="logistic_regression", parameters={"l2": 0.01, "threshold": 0.4}),
)
AVERAGE = System(
    name="average",
    task="question_comment",
    about="For tests.",
    ranker=RankerSpec(
        name="average",
        parameters={"members": [{"name": "logistic_regression"}, {"name": "boosted_trees", "parameters": {"seed": 1}}]},
    ),
)


def run_with(*entries: Entry) -> Run:
    """A run whose table of trials has these entries; none where it was not written."""
    tables = {TRIALS: list(entries)}
    return cast(Run, SimpleNamespace(entries_or_none=tables.__getitem__))


def trial(system: str, parameters: str, chosen: bool) -> Entry:
    return {"system": system, "parameters": parameters, "chosen": chosen}


def parameters_of(systems: list[System]) -> list[dict[str, object]]:
    return [system.ranker.parameters for system in systems]


def test_systems_stay_as_they_are_where_nothing_was_searched() -> None:
    assert tuned_systems(run_with(), [LOGISTIC, AVERAGE]) == [LOGISTIC, AVERAGE]


def test_a_system_takes_the_chosen_parameters_and_keeps_its_others() -> None:
    run = run_with(
        trial("logistic", "{}", False), trial("logistic", '{"l2": 0.1}', True), trial("logistic", '{"l2": 9}', False)
    )
    assert parameters_of(tuned_systems(run, [LOGISTIC, AVERAGE])) == [
        {"l2": 0.1, "threshold": 0.4},
        AVERAGE.ranker.parameters,
    ]
    assert LOGISTIC.ranker.parameters == {"l2": 0.01, "threshold": 0.4}


def test_the_recipes_own_parameters_may_be_the_chosen_ones() -> None:
    run = run_with(trial("logistic", "{}", True), trial("logistic", '{"l2": 0.1}', False))
    assert tuned_systems(run, [LOGISTIC]) == [LOGISTIC]


def test_members_of_an_ensemble_take_theirs() -> None:
    chosen = '{"members.0.parameters.l2": 0.2, "members.1.parameters.depth": 3}'
    assert parameters_of(tuned_systems(run_with(trial("average", chosen, True)), [AVERAGE])) == [
        {
            "members": [
                {"name": "logistic_regression", "parameters": {"l2": 0.2}},
                {"name": "boosted_trees", "parameters": {"seed": 1, "depth": 3}},
            ]
        }
    ]


def test_a_search_for_another_system_changes_nothing() -> None:
    assert tuned_systems(run_with(trial("other", '{"l2": 0.1}', True)), [LOGISTIC]) == [LOGISTIC]
