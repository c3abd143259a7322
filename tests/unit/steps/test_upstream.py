"""Which systems are trained first because others learn from their scores, and which combinations no run can train."""

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.steps.upstream import Upstream, reads_shortcut, tasks_of, upstream_of
from cqa_spark.systems.recipes import read_systems
from cqa_spark.systems.system import System

A, B, C = "question_comment", "question_question", "external_comment"
[LEXICAL_A, LEXICAL_B, BEST_A] = read_systems(["lexical_a", "lexical_b", "best_a"])


def system(name: str, *upstream: str, groups: tuple[str, ...] = ("path_scores_v1",)) -> System:
    ranker = RankerSpec(name="logistic_regression")
    return System(name=name, task=C, about="For tests.", upstream=upstream, feature_groups=groups, ranker=ranker)


PATH, DIRECT = ("path_scores_v1",), ("path_scores_v1", "direct_score_v1")


def test_systems_that_several_build_on_are_trained_once_in_the_order_of_their_names_in_recipes() -> None:
    assert upstream_of([system("one", "lexical_b", "lexical_a"), system("two", "lexical_a")]) == [
        Upstream(LEXICAL_B, C, False),
        Upstream(LEXICAL_A, C, False),
    ]
    assert upstream_of([LEXICAL_A, LEXICAL_B]) == []


@pytest.mark.parametrize(("first", "second"), [(PATH, DIRECT), (DIRECT, PATH), (DIRECT, DIRECT)])
def test_own_pairs_are_scored_if_any_system_uses_their_scores(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    systems = [system("one", "lexical_a", groups=first), system("two", "lexical_a", groups=second)]
    assert [reads_shortcut(each) for each in systems] == [first is DIRECT, second is DIRECT]
    assert upstream_of(systems) == [Upstream(LEXICAL_A, C, True)]


def test_an_upstream_system_builds_on_no_other() -> None:
    with pytest.raises(ConfigError, match="mine builds on lexical_c, which itself has upstream systems"):
        upstream_of([system("mine", "lexical_c")])


def test_an_upstream_system_predicts_probabilities() -> None:
    with pytest.raises(ConfigError, match="mine builds on given_order, whose scores are not probabilities"):
        upstream_of([system("mine", "lexical_b", "given_order")])


def test_a_run_has_one_upstream_system_for_a_task() -> None:
    with pytest.raises(ConfigError, match=f"lexical_a and best_a are both upstream for {A}"):
        upstream_of([system("one", "lexical_a"), system("two", "best_a")])


def test_the_tasks_of_a_run_are_those_of_its_systems_and_of_what_they_build_on() -> None:
    assert tasks_of([system("mine", "lexical_b", "lexical_a"), LEXICAL_A]) == [C, A, B]
    assert tasks_of([BEST_A]) == [A]
