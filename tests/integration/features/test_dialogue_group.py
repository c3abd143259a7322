"""Who speaks before and after a comment."""

from __future__ import annotations

from datetime import datetime
from math import log

import pytest
from literal_community import Said, Thread
from pyspark.sql import functions as F

from cqa_spark.features.featurize import compute_values
from cqa_spark.features.registry import group_class


@pytest.fixture
def dialogue(community):
    def of(*said: Said, asker: str | None = "U9", at: datetime | None = None) -> list[dict[str, float | None]]:
        inputs = community([Thread("Q1", asker, said, at=at)])
        rows = compute_values(group_class("dialogue_v1")(), inputs).collect()
        return [row.asDict() for row in sorted(rows, key=lambda row: row["candidate_id"])]

    return of


def test_position(dialogue) -> None:
    first, second, third, last = dialogue(*[Said(f"U{n}", "a") for n in range(4)])
    assert [turn["position"] for turn in (first, second, third, last)] == [1.0, 2.0, 3.0, 4.0]
    assert second["reciprocal_position"] == 0.5
    assert second["relative_position"] == 0.5
    assert [turn["is_last"] for turn in (first, third, last)] == [0.0, 0.0, 1.0]
    assert first["comments"] == 4.0


def test_the_asker_comes_back_and_thanks(dialogue) -> None:
    helper, asks, other, thanks = dialogue(
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


def test_an_author_speaks_more_than_once(dialogue) -> None:
    first, answer, again, after = dialogue(*[Said(user, "a") for user in ("U7", "U8", "U7", "U7")])
    assert [turn["author_turn"] for turn in (first, answer, again, after)] == [1.0, 1.0, 2.0, 3.0]
    assert [turn["author_comments"] for turn in (first, answer)] == [3.0, 1.0]
    assert [turn["same_author_before"] for turn in (first, answer, again, after)] == [0.0, 0.0, 0.0, 1.0]
    assert [turn["same_author_after"] for turn in (first, answer, again, after)] == [0.0, 0.0, 1.0, 0.0]
    assert [turn["in_dialogue"] for turn in (first, answer, again, after)] == [1.0, 0.0, 1.0, 0.0]
    assert first["author_first"] == 1.0
    assert first["author_last"] == 0.0
    assert first["authors"] == 2.0


@pytest.mark.parametrize("nobody", ["U2", None])
def test_the_anonymous_user_is_nobody(dialogue, nobody: str | None) -> None:
    first, second = dialogue(Said(nobody, "a"), Said(nobody, "b"), asker=nobody)
    for turn in (first, second):
        assert turn["by_asker"] == 0.0
        assert turn["author_anonymous"] == 1.0
        assert turn["same_author_after"] == 0.0
        assert turn["same_author_before"] == 0.0
        assert turn["asker_known"] == 0.0
        assert turn["authors"] == 0.0
        assert turn["author_comments"] is None


def test_neighbours_and_lengths(dialogue) -> None:
    first, second = dialogue(Said("U7", "is it ?"), Said("U8", "thanks for all of it"))
    assert first["next_thanks"] == 1.0
    assert second["previous_asks"] == 1.0
    assert first["previous_log_words"] == 0.0
    assert second["previous_log_words"] == pytest.approx(log(1 + 2))
    assert second["relative_log_words"] == pytest.approx(log((1 + 5) / (1 + 3.5)))
    assert [turn["length_rank"] for turn in (first, second)] == [1.0, 0.5]


def test_time_since_the_question_and_since_the_comment_before(dialogue) -> None:
    asked = datetime(2010, 5, 1, 12)
    first, second = dialogue(
        Said("U7", "a", at=datetime(2010, 5, 1, 13)), Said("U8", "b", at=datetime(2010, 5, 1, 16)), at=asked
    )
    assert first["log_hours_since_question"] == pytest.approx(log(1 + 1))
    assert first["log_hours_since_previous"] == pytest.approx(log(1 + 1))
    assert second["log_hours_since_question"] == pytest.approx(log(1 + 4))
    assert second["log_hours_since_previous"] == pytest.approx(log(1 + 3))
    (undated,) = dialogue(Said("U7", "a"), at=asked)
    assert undated["log_hours_since_question"] is None


def test_comments_of_a_thread_count_also_where_they_are_no_examples(community) -> None:
    inputs = community([Thread("Q1", "U9", [Said("U7", "a"), Said("U9", "thanks"), Said("U8", "b")])])
    first = compute_values(group_class("dialogue_v1")(), inputs.keep_examples(F.col("initial_rank") == 1)).collect()
    assert [(row["candidate_id"], row["asker_thanks_next"], row["comments"]) for row in first] == [("Q1_C1", 1.0, 3.0)]
