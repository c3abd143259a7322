"""Who speaks before and after a comment."""

from datetime import datetime
from math import log

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.dialogue.dialogue import DialogueV1


def _dialogue(*said: Said, asker: str | None = "U9", at: datetime | None = None) -> dict[str, list[float | None]]:
    """The values of all comments, by column."""
    rows = values(DialogueV1(), batch_of([Thread("Q1", asker, said, at=at)]))
    return {column.name: [row[column.name] for row in rows] for column in DialogueV1.columns}


def test_position() -> None:
    found = _dialogue(*[Said(f"U{n}", "a") for n in range(4)])
    assert found["position"] == [1, 2, 3, 4]
    assert (found["reciprocal_position"][1], found["relative_position"][1]) == (0.5, 0.5)
    assert found["is_last"] == [0, 0, 0, 1]
    assert found["comments"] == [4] * 4


def test_the_asker_comes_back_and_thanks() -> None:
    found = _dialogue(Said("U7", "try it"), Said("U9", "how ?"), Said("U8", "so"), Said("U9", "thanks"))
    expected = {
        "by_asker": [0, 1, 0, 1],
        "until_asker": [1, 2, 1, 20],
        "since_asker": [20, 20, 1, 2],
        "asker_speaks_after": pytest.approx([log(3), log(2), log(2), 0]),
        "asker_spoke_before": pytest.approx([0, 0, log(2), log(2)]),
        "asker_asks_next": [1, 0, 0, 0],
        "asker_asked_before": [0, 0, 1, 0],
        "asker_thanks_next": [0, 0, 1, 0],
        "asker_thanks_later": [1, 1, 1, 0],
        "by_asker_asks": [0, 1, 0, 0],
        "by_asker_thanks": [0, 0, 0, 1],
    }
    assert {name: found[name] for name in expected} == expected


def test_an_author_speaks_more_than_once() -> None:
    found = _dialogue(*[Said(user, "a") for user in ("U7", "U8", "U7", "U7")])
    expected = {
        "author_turn": [1, 1, 2, 3],
        "author_comments": [3, 1, 3, 3],
        "same_author_before": [0, 0, 0, 1],
        "same_author_after": [0, 0, 1, 0],
        "in_dialogue": [1, 0, 1, 0],
        "author_first": [1, 1, 0, 0],
        "author_last": [0, 1, 0, 1],
        "authors": [2, 2, 2, 2],
    }
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("nobody", ["U2", None])
def test_the_anonymous_user_is_nobody(nobody: str | None) -> None:
    found = _dialogue(Said(nobody, "a"), Said(nobody, "b"), asker=nobody)
    assert (found["author_anonymous"], found["author_comments"]) == ([1, 1], [None, None])
    for name in ("by_asker", "same_author_after", "same_author_before", "asker_known", "authors"):
        assert found[name] == [0, 0]


def test_neighbours_and_lengths() -> None:
    found = _dialogue(Said("U7", "is it ?"), Said("U8", "thanks for all of it"))
    assert (found["next_thanks"][0], found["previous_asks"][1]) == (1, 1)
    assert found["previous_log_words"] == pytest.approx([0, log(1 + 2)])
    assert found["relative_log_words"][1] == pytest.approx(log((1 + 5) / (1 + 3.5)))
    assert found["length_rank"] == [1, 0.5]


def test_time_since_the_question_and_since_the_comment_before() -> None:
    asked, times = datetime(2010, 5, 1, 12), (datetime(2010, 5, 1, 13), datetime(2010, 5, 1, 16), None)
    found = _dialogue(*[Said("U7", "a", at=at) for at in times], at=asked)
    assert found["log_hours_since_question"] == [pytest.approx(log(1 + 1)), pytest.approx(log(1 + 4)), None]
    assert found["log_hours_since_previous"] == [pytest.approx(log(1 + 1)), pytest.approx(log(1 + 3)), None]


def test_comments_of_a_thread_count_also_where_they_are_no_examples() -> None:
    thread = Thread("Q1", "U9", [Said("U7", "a"), Said("U9", "thanks"), Said("U8", "b")])
    (first,) = values(DialogueV1(), batch_of([thread], [("Q1", "Q1_C1", "Q1")]))
    assert (first["candidate_id"], first["asker_thanks_next"], first["comments"]) == ("Q1_C1", 1.0, 3.0)


def test_threads_of_a_batch_do_not_mix() -> None:
    said = [Said("U7", "is it ?"), Said("U9", "thanks")]
    one, other = (values(DialogueV1(), batch_of([Thread(name, "U9", said)])) for name in ("Q1", "Q2"))
    assert values(DialogueV1(), batch_of([Thread("Q1", "U9", said), Thread("Q2", "U9", said)])) == [*one, *other]


def test_a_post_takes_part_in_no_conversation() -> None:
    threads = [Thread("Q1", "U9", [Said("U7", "a")]), Thread("Q2", "U8", [Said("U7", "a")])]
    (row,) = values(DialogueV1(), batch_of(threads, [("Q1", "Q2", "Q2")], task="question_question"))
    assert {row[column.name] for column in DialogueV1.columns} == {None}
