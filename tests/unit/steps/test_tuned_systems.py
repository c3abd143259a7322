"""Which parameters systems have after a search on the same run."""

from types import SimpleNamespace
from typing import cast

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.studies import TRIALS
from cqa_spark.rankers.ranker import RankerSpec
from cqa_spark.steps.train import tuned_systems
from cqa_spark.systems.system import System

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
