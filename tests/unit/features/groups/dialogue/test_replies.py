"""Who answers whom by name, and what the asker says next."""

from math import log

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.dialogue.replies import RepliesV1

_THREAD = Thread(
    "Q1",
    "U9",
    [
        Said("U7", "Mona01: go to the souq", name="Rashid"),
        Said("U8", "@rashid no way", name="peter"),
        Said("U9", "Thanks rashid", name="mona01"),
        Said("U7", "peterson sells lamps", name="Rashid"),
        Said("U9", "great but is it far ?", name="mona01"),
        Said("U3", "anonymous said so", name="anonymous"),
        Said("U6", "bob is bob", name="bob"),
    ],
)
_EXPECTED = {
    "names_another": [1, 1, 1, 0, 0, 0, 0],
    "starts_with_name": [1, 1, 0, 0, 0, 0, 0],
    "names_asker": [1, 0, 0, 0, 0, 0, 0],
    "named_later": [log(3), 0, 0, 0, 0, 0, 0],
    "named_by_asker": [1, 0, 0, 0, 0, 0, 0],
    "asker_thanks": [1, 1, 0, 0, 0, 0, 0],
    "asker_praises": [1, 1, 0, 1, 0, 0, 0],
    "asker_asks": [1, 1, 0, 1, 0, 0, 0],
    "asker_thanks_at_once": [1, 1, 0, 0, 0, 0, 0],
    "asker_thanks_by_name": [1, 0, 0, 0, 0, 0, 0],
}


def test_names_and_reactions() -> None:
    rows = values(RepliesV1(), batch_of([_THREAD]))
    found = {name: [row[name] for row in rows] for name in _EXPECTED}
    assert found == {name: pytest.approx(expected) for name, expected in _EXPECTED.items()}
    assert set(_EXPECTED) == {column.name for column in RepliesV1.columns}
