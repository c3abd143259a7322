import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.text.analysers.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" . ", ["."]),
        ("One line\nAnother", ["One line", "Another"]),
        ("Mr. Smith left. He ran", ["Mr. Smith left.", "He ran"]),
        ("It costs 3.50; that is much", ["It costs 3.50;", "that is much"]),
        ("Really?! Yes! no doubt", ["Really?!", "Yes!", "no doubt"]),
        ("I saw it in the U.S. and left at 5 p.m. today.", ["I saw it in the U.S. and left at 5 p.m. today."]),
        ("Wait... What", ["Wait...", "What"]),
        ("wait... what", ["wait.", ".", ".", "what"]),
        ('He said "Go. Now!" and left. So', ['He said "Go. Now!" and left.', "So"]),
        ("He said 'Go. Now!' and left. So", ["He said 'Go. Now!' and left.", "So"]),
        ("see (a. b. c) there", ["see (a. b. c) there"]),
        ("it's the dog's life. That's it", ["it's the dog's life.", "That's it"]),
        ("Do this: 1. wash 2. dry", ["Do this:", "1. wash", "2. dry"]),
    ],
)
def test_where_sentences_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text("aB1 .!?;'\"()\n", max_size=40))
def test_no_character_but_blanks_is_lost_or_moved(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
