"""Who speaks before and after a comment."""

from datetime import datetime
from math import log

import pytest
from literal_batches import Said, Thread, batch_of, values

from cqa_spark.features.groups.thread.dialogue import DialogueV1


def _dialogue(*said: Said, asker: str | None = "U9", at: datetime | None = None) -> list[dict[str, float | None]]:
    return values(DialogueV1(), batch_of([Thread("Q1", asker, said, at=at)]))


def test_position() -> None:
    first, second, third, last = _dialogue(*[Said(f"U{n}", "a") for n in range(4)])
    assert [turn["position"] for turn in (first, second, third, last)] == [1.0, 2.0, 3.0, 4.0]
    assert second["reciprocal_position"] == 0.5
    assert second["relative_position"] == 0.5
    assert [turn["is_last"] for turn in (first, third, last)] == [0.0, 0.0, 1.0]
    assert first["comments"] == 4.0


def test_the_asker_comes_back_and_thanks() -> None:
    helper, asks, other, thanks = _dialogue(
        Said("U7", "try it"), Said("U9", "how ?"), Said("U8", "so"), Said("U9", "thanks")
    )
    assert [turn["by_asker"] for turn in (helper, asks, other, thanks)] == [0.0, 1.0, 0.0, 1.0]
    assert [turn["until_asker"] for turn in (helper, asks, other, thanks)] == [1.0, 2.0, 1.0, 20.0]
    assert [turn["since_asker"] for turn in (helper, asks, other, thanks)] == [20.0, 20.0, 1.0, 2.0]
    assert helper["asker_speaks_after"] == pytest.approx(log(3))
    assert thanks["asker_spoke_before"] == pytest.approx(log(2))
    assert helper["asker_asks_next"] == 1.0
    assert [turn["asker_thanks_next"] for turn in (helper, asks, other, thanks)] == [0.0, 0.0, 1.0, 0.0]
    assert [turn["asker_thanks_later"] for turn in (helper, asks, other, thanks)] == [1.0, 1.0, 1.0, 0.0]
    assert other["asker_asked_before"] == 1.0
    assert asks["by_asker_asks"] == 1.0
    assert thanks["by_asker_thanks"] == 1.0


def test_an_author_speaks_more_than_once() -> None:
    first, answer, again, after = _dialogue(*[Said(user, "a") for user in ("U7", "U8", "U7", "U7")])
    assert [turn["author_turn"] for turn in (first, answer, again, after)] == [1.0, 1.0, 2.0, 3.0]
    assert [turn["author_comments"] for turn in (first, answer)] == [3.0, 1.0]
    assert [turn["same_author_before"] for turn in (first, answer, again, after)] == [0.0, 0.0, 0.0, 1.0]
    assert [turn["same_author_after"] for turn in (first, answer, again, after)] == [0.0, 0.0, 1.0, 0.0]
    assert [turn["in_dialogue"] for turn in (first, answer, again, after)] == [1.0, 0.0, 1.0, 0.0]
    assert first["author_first"] == 1.0
    assert first["author_last"] == 0.0
    assert first["authors"] == 2.0


@pytest.mark.parametrize("nobody", ["U2", None])
def test_the_anonymous_user_is_nobody(nobody: str | None) -> None:
    first, second = _dialogue(Said(nobody, "a"), Said(nobody, "b"), asker=nobody)
    for turn in (first, second):
        assert turn["by_asker"] == 0.0
        assert turn["author_anonymous"] == 1.0
        assert turn["same_author_after"] == 0.0
        assert turn["same_author_before"] == 0.0
        assert turn["asker_known"] == 0.0
        assert turn["authors"] == 0.0
        assert turn["author_comments"] is None


def test_neighbours_and_lengths() -> None:
    first, second = _dialogue(Said("U7", "is it ?"), Said("U8", "thanks for all of it"))
    assert first["next_thanks"] == 1.0
    assert second["previous_asks"] == 1.0
    assert first["previous_log_words"] == 0.0
    assert second["previous_log_words"] == pytest.approx(log(1 + 2))
    assert second["relative_log_words"] == pytest.approx(log((1 + 5) / (1 + 3.5)))
    assert [turn["length_rank"] for turn in (first, second)] == [1.0, 0.5]


def test_time_since_the_question_and_since_the_comment_before() -> None:
    asked = datetime(2010, 5, 1, 12)
    first, second = _dialogue(
        Said("U7", "a", at=datetime(2010, 5, 1, 13)), Said("U8", "b", at=datetime(2010, 5, 1, 16)), at=asked
    )
    assert first["log_hours_since_question"] == pytest.approx(log(1 + 1))
    assert first["log_hours_since_previous"] == pytest.approx(log(1 + 1))
    assert second["log_hours_since_question"] == pytest.approx(log(1 + 4))
    assert second["log_hours_since_previous"] == pytest.approx(log(1 + 3))
    (undated,) = _dialogue(Said("U7", "a"), at=asked)
    assert undated["log_hours_since_question"] is None


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
