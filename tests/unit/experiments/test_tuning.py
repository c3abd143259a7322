"""What a search for parameters may conclude."""

from typing import Any, cast

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.experiments.cross_validation import CrossValidated
from cqa_spark.experiments.tuning import Trial, chosen, nested_verdict, planned_trials, verdict
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.systems.system import System


def trial(name: str, *values: float) -> Trial:
    queries = cast(Any, None)  # no test looks at them
    return Trial(name, {}, RankerSpec(name="random_order"), CrossValidated(values, queries))


def system(ranker: str) -> System:
    return System(name="mine", task="question_comment", about="For tests.", ranker=RankerSpec(name=ranker))


GIVEN = trial("given", 0.70, 0.71, 0.69)


def test_mean_and_spread_are_those_of_the_repeats() -> None:
    assert (GIVEN.mean, GIVEN.spread) == (pytest.approx(0.70), pytest.approx(0.01))
    assert GIVEN.line("MAP@10") == "given     MAP@10 70.00 ± 1.00  as the recipe says"


def test_a_tie_keeps_the_given_parameters() -> None:
    same = trial("trial 1", 0.70, 0.71, 0.69)
    assert chosen([GIVEN, same]) is GIVEN
    assert verdict(GIVEN, GIVEN, "MAP@10", None).endswith("keep them.")


@pytest.mark.parametrize(
    ("values", "p", "ends"),
    [
        ((0.71, 0.72, 0.70), 0.001, "keep the given parameters."),  # inside the spread of the folds
        ((0.75, 0.76, 0.74), 0.30, "keep the given parameters."),  # beyond it, but chance over queries explains it
        ((0.75, 0.76, 0.74), 0.01, "its score is slightly optimistic."),
    ],
)
def test_a_better_mean_alone_changes_nothing(values: tuple[float, ...], p: float, ends: str) -> None:
    assert verdict(GIVEN, trial("trial 4", *values), "MAP@10", p).endswith(ends)


def test_the_difference_is_told_with_spread_and_chance() -> None:
    told = verdict(GIVEN, trial("trial 4", 0.75, 0.76, 0.74), "MAP@10", 0.01).splitlines()[2]
    assert told == (
        "The difference of +5.00 points is beyond the spread of the repeats (1.41); over queries p = 0.010, "
        "which is statistically significant."
    )


def test_the_score_of_the_choice_stands_beside_that_of_the_given_parameters() -> None:
    assert nested_verdict(0.70, 0.715, "MAP@10", 0.2) == (
        "Nested cross-validation, where each fold is ranked by the choice of the other folds: MAP@10 71.50, the given "
        "parameters 70.00 (+1.50, p = 0.200)."
    )


def test_a_larger_budget_starts_with_the_same_trials() -> None:
    few, many = (list(planned_trials(system("boosted_trees"), budget=budget, seed=1)) for budget in (2, 5))
    assert many[:3] == few
    assert few[0].name == "given"
    assert few[0].ranker.parameters == {}
    assert few[1].ranker.parameters == few[1].values
    assert set(few[1].values) >= {"trees", "depth", "learning_rate"}


def test_a_ranker_without_ranges_cannot_be_tuned() -> None:
    with pytest.raises(ConfigError, match="random_order has no parameter with a range"):
        list(planned_trials(system("random_order"), budget=2, seed=1))
