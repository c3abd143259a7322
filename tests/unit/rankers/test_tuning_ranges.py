from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.rankers.registry import RANKERS, build_ranker
from cqa_spark.rankers.tuning_ranges import Between, declared_ranges, draw, search_space, with_values

AVERAGE = {
    "members": [
        {"name": "logistic_regression"},
        {"name": "calibrated", "parameters": {"member": {"name": "linear_svm", "parameters": {"l2": 0.5}}}},
    ]
}


@given(
    low=st.floats(0.001, 10), width=st.floats(0.1, 100), log=st.booleans(), whole=st.booleans(), seed=st.integers(0, 99)
)
def test_a_drawn_value_lies_in_its_range_but_for_rounding(
    low: float, width: float, log: bool, whole: bool, seed: int
) -> None:
    drawn = Between(low, low + width, log, whole).draw(Random(seed))
    slack = 0.5 if whole else 0.01 * (low + width)
    assert low - slack <= drawn <= low + width + slack


def test_the_same_seed_draws_the_same_values() -> None:
    space = search_space("boosted_trees", {})
    assert draw(space, Random("1:3")) == draw(space, Random("1:3"))
    assert draw(space, Random("1:3")) != draw(space, Random("1:4"))


def test_numbers_are_drawn_as_a_person_would_write_them() -> None:
    assert Between(0.01, 0.2, log=True).draw(Random(1)) == 0.0150
    assert Between(50, 800, log=True, whole=True).draw(Random(1)) == 73


def test_the_space_of_a_ranker_holds_those_of_the_rankers_that_it_is_made_of() -> None:
    assert set(search_space("average", AVERAGE)) == {
        "members.0.parameters.l2",
        "members.1.parameters.member.parameters.l2",
    }


def test_values_go_to_their_places_and_leave_the_rest_alone() -> None:
    changed = with_values(AVERAGE, {"members.0.parameters.l2": 0.1, "members.1.parameters.member.parameters.l2": 0.2})
    assert changed["members"][0] == {"name": "logistic_regression", "parameters": {"l2": 0.1}}
    assert changed["members"][1]["parameters"]["member"]["parameters"] == {"l2": 0.2}
    assert AVERAGE["members"][0] == {"name": "logistic_regression"}
    build_ranker("average", changed)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, each) for name in RANKERS.names() for each in declared_ranges(RANKERS.load(name).parameters_type)],
)
def test_both_ends_of_a_range_are_values_that_the_parameter_takes(name: str, parameter: str) -> None:
    kind = RANKERS.load(name).parameters_type
    range_ = declared_ranges(kind)[parameter]
    ends = [int(end) if range_.whole else end for end in (range_.low, range_.high)]
    assert [getattr(kind.model_validate({**_needed(name), parameter: end}), parameter) for end in ends] == ends


def _needed(name: str) -> dict[str, object]:
    member = {"name": "logistic_regression"}
    return {"average": {"members": [member, member]}}.get(name, {})
