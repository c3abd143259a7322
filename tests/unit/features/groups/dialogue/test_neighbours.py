"""How similar a comment is to the rest of its thread."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_batches import batch_of, values
from literal_threads import Said, Thread
from scipy.sparse import csr_matrix
from sklearn.preprocessing import normalize

from cqa_spark.features.groups.dialogue.neighbours import (
    NeighboursV1,
    apart,
    cosine_to_sum,
    new_shares,
    relative_ranks,
    thread_cosines,
)
from cqa_spark.text.terms import Collection

_HALFWAY = 1 / sqrt(2)
_TO_REST = _HALFWAY / sqrt(0.5 + (1 + _HALFWAY) ** 2 + 1)
"""Oil, beside the sum of oil-and-lamp, wax and lamp."""

_EXPECTED = {
    "previous_cosine": [0, _HALFWAY, 0, 0],
    "next_cosine": [_HALFWAY, 0, 0, 0],
    "others_cosine": [sqrt(2 / 3), _TO_REST, 0, _TO_REST],
    "closest_cosine": [_HALFWAY, _HALFWAY, 0, _HALFWAY],
    "closest_before_cosine": [0, _HALFWAY, 0, _HALFWAY],
    "asker_cosine": [_HALFWAY, 0, 0, 0],
    "question_cosine": [1, _HALFWAY, 0, _HALFWAY],
    "new_share": [0, 0, 1, 0],
    "question_rank": [0.25, 0.5, 1, 0.5],
}
"""Two texts each hold oil and lamp, so that the two weigh the same."""


_GROUP = NeighboursV1(Collection({"oil": 2, "lamp": 2, "wax": 1}, documents=4, occurrences=5))
_SAID = [Said("U7", "oil lamp"), Said("U8", "oil"), Said("U7", "wax"), Said("U9", "lamp")]
_UNASKED = [Said("U7", "fire"), Said("U8", "..."), Said("U6", "fire")]


def test_cosines_to_the_rest_of_the_thread() -> None:
    batch = batch_of([Thread("Q1", "U9", _SAID, question="oil lamp"), Thread("Q2", None, _UNASKED)])
    rows = {row["candidate_id"]: row for row in values(_GROUP, batch)}
    found = {name: [rows[f"Q1_C{place}"][name] for place in range(1, 5)] for name in _EXPECTED}
    assert found == {name: pytest.approx(values, abs=1e-12) for name, values in _EXPECTED.items()}
    assert rows["Q1_C1"]["others_rank"] == 0.25
    assert rows["Q1_C3"]["others_rank"] == 1.0
    first, nothing, last = (rows[f"Q2_C{place}"] for place in (1, 2, 3))
    assert [one["others_cosine"] for one in (first, nothing, last)] == pytest.approx([1.0, 0.0, 1.0])
    assert [one["question_cosine"] for one in (first, nothing, last)] == [0.0, 0.0, 0.0]
    assert [one["new_share"] for one in (first, nothing, last)] == [1.0, 0.0, 0.0]


def test_a_candidate_that_is_a_question_has_no_values() -> None:
    threads = [Thread("Q1", "U9", [], question="oil"), Thread("Q2", "U7", _SAID, question="lamp")]
    (row,) = values(_GROUP, batch_of(threads, [("Q1", "Q2", "Q2")]))
    assert {row[column.name] for column in NeighboursV1.columns} == {None}


def test_other_threads_change_no_digit() -> None:
    one, other = Thread("Q1", "U9", _SAID, question="oil lamp"), Thread("Q2", None, _UNASKED)
    apart = [row for thread in (one, other) for row in values(_GROUP, batch_of([thread]))]
    assert apart == values(_GROUP, batch_of([one, other]))


# Cosines between the turns of a thread.

_TURNS = st.lists(st.dictionaries(st.sampled_from("abcdef"), st.floats(0.1, 9.0), max_size=4), min_size=1, max_size=6)


def _vectors(turns: list[dict[str, float]]) -> csr_matrix:
    return normalize(csr_matrix([[turn.get(term, 0.0) for term in "abcdef"] for turn in turns]))


def _similar(turns: list[dict[str, float]]) -> np.ndarray:
    (similar,) = thread_cosines(_vectors(turns), [len(turns)])
    return similar


def _dense(turns: list[dict[str, float]]) -> np.ndarray:
    return _vectors(turns).toarray()


def test_cosines_of_three_turns() -> None:
    similar = _similar([{"a": 1.0, "b": 1.0}, {"b": 2.0}, {}])
    assert similar == pytest.approx(np.array([[1, 1 / sqrt(2), 0], [1 / sqrt(2), 1, 0], [0, 0, 0]]))


def test_threads_are_compared_and_heard_apart() -> None:
    vectors = apart(_vectors([{"a": 1.0, "b": 1.0}, {"b": 2.0, "c": 1.0}, {"b": 3.0}, {}]), np.array([0, 0, 1, 1]))
    one, other = thread_cosines(vectors, [2, 2])
    assert one[0, 1] == pytest.approx(2 / sqrt(10))
    assert other == pytest.approx(np.array([[1, 0], [0, 0]]))
    assert new_shares(vectors).tolist() == [1.0, 0.5, 1.0, 0.0]


def test_the_sum_leaves_the_turn_itself_out() -> None:
    similar = _similar([{"a": 1.0}, {"b": 1.0}, {"a": 1.0, "b": 1.0}])
    everybody = np.full(3, True)
    halfway = 1 / sqrt(2)
    assert cosine_to_sum(similar, everybody)[2] == pytest.approx(1.0)
    assert cosine_to_sum(similar, everybody)[0] == pytest.approx(halfway / sqrt(halfway**2 + (1 + halfway) ** 2))
    assert cosine_to_sum(similar, np.array([True, False, False])) == pytest.approx([0.0, 0.0, halfway])


@given(_TURNS, st.data())
def test_the_cosine_to_a_sum_is_what_the_vectors_say(turns: list[dict[str, float]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(turns), max_size=len(turns)))
    members, vectors = np.array(chosen), _dense(turns)
    found = cosine_to_sum(_similar(turns), members)
    for place, vector in enumerate(vectors):
        total = sum((other for at, other in enumerate(vectors) if members[at] and at != place), np.zeros(len(vector)))
        length = np.linalg.norm(total) * np.linalg.norm(vector)
        assert found[place] == pytest.approx(total @ vector / length if length else 0.0, abs=1e-9)


@given(_TURNS)
def test_cosines_are_symmetric_and_between_0_and_1(turns: list[dict[str, float]]) -> None:
    similar = _similar(turns)
    assert similar == pytest.approx(similar.T)
    assert ((similar >= 0) & (similar <= 1 + 1e-9)).all()


def test_equal_values_share_the_better_rank() -> None:
    assert list(relative_ranks(np.array([0.5, 0.9, 0.5, 0.1]))) == [0.5, 0.25, 0.5, 1.0]
    assert list(relative_ranks(np.array([0.3, 0.1 + 0.2]))) == [0.5, 0.5]
    assert list(relative_ranks(np.array([]))) == []
