"""Length of the answer, and the words that it shares with the question."""

from math import log, sqrt

import pytest
from literal_batches import batch_of, values
from literal_threads import Thread

from cqa_spark.features.groups.answer_text import AnswerTextV1
from cqa_spark.text.post_words import plain_text_of, words_of
from cqa_spark.text.terms import Collection


def test_answers_are_compared_by_the_words_of_their_bodies() -> None:
    posts = [
        Thread("Q1", "U9", [], subject="Which beer keeps?", question="<p>A stout.</p>"),
        Thread("A1", "U7", [], question="A <b>stout</b> keeps"),
        Thread("A2", "U8", [], question="<hr>"),
        Thread("A3", "U8", [], question=None),
    ]
    batch = batch_of(posts, [("Q1", f"A{number}", f"A{number}") for number in (1, 2, 3)])
    group = AnswerTextV1(Collection({"a": 2, "stout": 2, "keeps": 2, "which": 1, "beer": 1}, 3, 8))
    shared, rare = log(4 / 3) + 1, log(4 / 2) + 1
    cosine = 3 * shared**2 / (sqrt(3 * shared**2) * sqrt(3 * shared**2 + 2 * rare**2))
    found = {row["candidate_id"]: tuple(row.values())[2:] for row in values(group, batch)}
    assert found == {
        "A1": (len("A  stout  keeps"), 3.0, pytest.approx(cosine)),
        "A2": (0.0, 0.0, 0.0),
        "A3": (0.0, 0.0, 0.0),
    }


def test_a_candidate_that_is_no_post_has_no_values() -> None:
    batch = batch_of([Thread("Q1", "U9", [], question="beer")], [("Q1", "A1", "Q1")])
    (row,) = values(AnswerTextV1(Collection({}, 0, 0)), batch)
    assert (row["characters"], row["words"], row["cosine"]) == (None, None, None)


@pytest.mark.parametrize(
    ("subject", "body", "plain", "words"),
    [
        ("Title", "<p>Some <code>x_1</code></p>", "Title  Some  x_1", ["title", "some", "x_1"]),
        (None, "no end <of tag", "no end  <of tag", ["no", "end", "of", "tag"]),
        (" Title", None, "Title", ["title"]),
        (None, None, "", []),
        (None, "Ünïcode ½ ٣ e\u0301", "Ünïcode ½ ٣ e\u0301", ["ünïcode", "½", "٣", "e"]),
    ],
)
def test_words_of_a_post(subject: str | None, body: str | None, plain: str, words: list[str]) -> None:
    assert plain_text_of(subject, body) == plain
    assert words_of(plain) == words
