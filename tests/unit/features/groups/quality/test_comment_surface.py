"""What is counted in a comment's text."""

from math import log

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.quality.comment_surface import CommentSurfaceV1

_FLAGS = {
    "Thanks a lot": {"thanks"},
    "where is it ?": {"starts_as_question", "ends_in_question_mark"},
    "yes I think so": {"answers_yes_or_no", "thinks"},
    "PM me": {"private_message"},
    "mail bob@example.com now": {"emails"},
    'He said "never" loudly': {"quotes"},
    "lol what !!": {"laughs", "repeated_marks"},
    "Hahaha": {"laughs"},
    "the chat": set(),
    "@ali go to the souq": {"addresses_member", "advises", "place"},
    "Good point !": {"acknowledges"},
    "goods pointed": set(),
    "nothing of that kind": set(),
}
_LENGTHS = "the car , the big car !"
_NUMBERS = "CALL Ali 5551234 or pay 300 QR"


@pytest.fixture(scope="module")
def surface() -> dict[str, dict[str, float | None]]:
    """The features of each text."""
    texts = [_LENGTHS, _NUMBERS, "", "sooo Niiice", *_FLAGS]
    batch = batch_of([Thread(f"Q{number:02}", "U9", [Said("U7", text)]) for number, text in enumerate(texts)])
    return dict(zip(texts, values(CommentSurfaceV1(), batch), strict=True))


def test_lengths(surface) -> None:
    found = surface[_LENGTHS]
    assert found["log_chars"] == pytest.approx(log(1 + 23))
    assert found["log_words"] == pytest.approx(log(1 + 5))
    assert found["sentences"] == 1.0
    assert found["words_per_sentence"] == 5.0
    assert found["mean_word_length"] == 3.0
    assert found["longest_word"] == 3.0
    assert found["type_token_ratio"] == pytest.approx(3 / 5)
    assert found["punctuation_share"] == pytest.approx(2 / 7)
    assert found["exclamation_marks"] == pytest.approx(log(2))


def test_capitals_and_numbers(surface) -> None:
    found = surface[_NUMBERS]
    assert found["capitals_share"] == pytest.approx(7 / 14)
    assert found["shouted_words"] == pytest.approx(log(2))
    assert found["numbers"] == pytest.approx(log(3))
    assert found["phone_numbers"] == 1.0
    assert found["money"] == 1.0
    assert found["starts_lower"] == 0.0


def test_stretched_words(surface) -> None:
    assert surface["sooo Niiice"]["stretched_words"] == pytest.approx(log(3))


@pytest.mark.parametrize("text", _FLAGS)
def test_flags(surface, text: str) -> None:
    asked = set().union(*_FLAGS.values())
    assert {name for name in asked if surface[text][name] == 1.0} == _FLAGS[text]


def test_an_empty_text_has_a_value_everywhere(surface) -> None:
    assert None not in surface[""].values()
