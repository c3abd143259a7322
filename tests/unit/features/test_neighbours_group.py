"""How similar a comment is to the rest of its thread."""

from math import sqrt

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.dialogue.neighbours import NeighboursV1
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
