"""The seven groups of Xu et al. (2018), every column, as of the cut and as of the dump."""

from dataclasses import replace
from math import log, sqrt
from typing import Any

import pytest
from literal_answers import community, seconds
from pyspark.sql import SparkSession
from saved_folders import reloaded_group
from single_groups import compute_values, fit_and_compute

from cqa_spark.features.inputs import Cut, FeatureInputs
from cqa_spark.features.registry import group_class


@pytest.fixture(scope="module")
def inputs(spark: SparkSession) -> FeatureInputs:
    return community(spark)


def values_of(name: str, inputs: FeatureInputs) -> dict[str, dict[str, Any]]:
    """The values of a group by answer, but for columns that are 0, and for answers of which nothing is known."""
    group = group_class(name)
    _, values = fit_and_compute(group, inputs, folds=2)
    names = [column.name for column in group.columns]
    rows = {row["candidate_id"]: {name: row[name] for name in names} for row in values.collect()}
    known = {key: row for key, row in rows.items() if set(row.values()) != {None}}
    return {key: {name: value for name, value in row.items() if value != 0} for key, row in known.items()}


def of_every_answer(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return dict.fromkeys(("11", "12", "13"), values)


def test_basic_q(inputs: FeatureInputs) -> None:
    assert values_of("basic_q_snapshot_v1", inputs) == of_every_answer(
        {"views": 500, "created": seconds(3, 2, 10), "active": seconds(5, 1)}
    )
    known = {"created": seconds(3, 2, 10), "active": seconds(3, 3, 9)}
    assert values_of("basic_q_asof_v1", inputs) == of_every_answer(known)


def test_basic_a(inputs: FeatureInputs) -> None:
    times = {"11": seconds(3, 2, 12), "12": seconds(3, 2, 18), "13": seconds(3, 3, 9)}
    assert values_of("basic_a_snapshot_v1", inputs) == {
        answer: {"views": None, "created": time, "active": seconds(4, 1)} for answer, time in times.items()
    }
    assert values_of("basic_a_asof_v1", inputs) == {
        answer: {"created": time, "active": time} for answer, time in times.items()
    }


def test_q_tags(inputs: FeatureInputs) -> None:
    # By score: z 10, x 7, y 6. By the votes that were known: x 2, then y and z with 1.
    assert values_of("q_tags_snapshot_v1", inputs) == of_every_answer({"tag_02": 0.5, "tag_03": 0.5})
    assert values_of("q_tags_asof_v1", inputs) == of_every_answer({"tag_01": 0.5, "tag_02": 0.5})
    # Of the two tags only y has a number where one tag has: z, then x.
    assert values_of("q_tags_snapshot_v1", replace(inputs, top_tags=1)) == of_every_answer({})
    assert values_of("q_tags_asof_v1", replace(inputs, top_tags=1)) == of_every_answer({"tag_01": 1.0})


def test_comments(inputs: FeatureInputs) -> None:
    great, works, terrible, alone = 0.807, 0.0, -0.4767, 0.6588
    shared = {"on_question": 4, "asker_on_question": 1}
    assert values_of("comments_snapshot_v1", inputs) == {
        "11": pytest.approx(shared | {
            "on_answer": 3, "asker_on_answer": 1, "answerer_on_question": 1, "answerer_on_answer": 1, "sequential": 3,
            "sentiment": (great + works + 0.0 + terrible) / 4, "toned_sentiment": (great + terrible) / 2,
            "any_on_answer": 1,
        }),
        "12": shared,
        "13": pytest.approx(shared | {
            "on_answer": 1, "asker_on_answer": 1, "answerer_on_question": 1, "sequential": 2, "sentiment": alone,
            "toned_sentiment": alone, "any_on_answer": 1,
        }),
    }  # fmt: skip
    shared = {"on_question": 3, "asker_on_question": 1}
    assert values_of("comments_asof_v1", inputs) == {
        "11": pytest.approx(shared | {
            "on_answer": 2, "asker_on_answer": 1, "answerer_on_question": 1, "answerer_on_answer": 1, "sequential": 2,
            "sentiment": (great + works + 0.0) / 3, "toned_sentiment": great, "any_on_answer": 1,
        }),
        "12": shared,
        "13": shared | {"answerer_on_question": 1, "sequential": 1},
    }  # fmt: skip


def test_basic_u(inputs: FeatureInputs) -> None:
    assert values_of("basic_u_snapshot_v1", inputs) == {
        "11": {"created": seconds(1, 2), "up_votes": 7, "down_votes": 1, "reputation": 777, "questions": 1,
               "answers": 3, "accepted": 2, "comments": 3},
        "13": {"created": seconds(3, 3, 10, 30), "up_votes": 2, "reputation": 333, "answers": 3, "accepted": 2,
               "comments": 2},
    }  # fmt: skip
    # The thread's own votes, answers and comments do not count; nor do the votes of the day on which the cut lies.
    assert values_of("basic_u_asof_v1", inputs) == {
        "11": {"created": seconds(1, 2), "up_votes": 4, "down_votes": 1, "reputation": 1 + 40 - 2 + 15, "questions": 1,
               "answers": 1, "accepted": 1, "comments": 1},
        "13": {"created": None, "up_votes": 1, "reputation": 11, "answers": 2},
    }  # fmt: skip


def test_badges(inputs: FeatureInputs) -> None:
    # By awards in the dump: Teacher 3, Student 2, Guru 1. Until the cut: Student 2, Teacher 1.
    assert values_of("badges_snapshot_v1", inputs) == {
        "11": {"badge_001": 1, "badge_002": 1, "badge_003": 1},
        "13": {"badge_001": 1},
    }
    assert values_of("badges_asof_v1", inputs) == {"11": {"badge_001": 1, "badge_002": 1}, "13": {}}


def test_u_tags(inputs: FeatureInputs) -> None:
    third = pytest.approx(1 / 3)
    assert values_of("u_tags_snapshot_v1", inputs) == {
        "11": {"answered_01": 0.25, "answered_02": 0.5, "answered_03": 0.25, "accepted_01": 0.5, "accepted_02": 0.5},
        "13": {"answered_01": 0.2, "answered_02": 0.4, "answered_03": 0.4,
               "accepted_01": 0.25, "accepted_02": 0.25, "accepted_03": 0.5},
    }  # fmt: skip
    assert values_of("u_tags_asof_v1", inputs) == {
        "11": {"answered_01": 1.0, "accepted_01": 1.0},
        "13": {"answered_01": third, "answered_02": third, "answered_03": third},
    }


def test_answer_text(inputs: FeatureInputs) -> None:
    # Of four texts two hold beer, keeps and well; one each holds the others.
    common, rare = log(5 / 3) + 1, log(5 / 2) + 1
    question = sqrt(3 * common**2 + rare**2)
    assert values_of("answer_text_v1", inputs) == {
        "11": pytest.approx({
            "characters": len("A stout  keeps  well."), "words": 4,
            "cosine": 2 * common**2 / (question * sqrt(2 * common**2 + 2 * rare**2)),
        }),
        "12": {},
        "13": pytest.approx({
            "characters": len("Any beer!"), "words": 2, "cosine": common**2 / (question * sqrt(common**2 + rare**2)),
        }),
    }  # fmt: skip


def test_a_cut_at_the_answers_own_time(inputs: FeatureInputs) -> None:
    earlier = replace(inputs, cut=Cut("answer"))
    by_answer = values_of("comments_asof_v1", earlier)
    assert [by_answer[answer]["on_question"] for answer in ("11", "12", "13")] == [2, 2, 3]
    assert "on_answer" not in by_answer["11"]
    active = {answer: values["active"] for answer, values in values_of("basic_q_asof_v1", earlier).items()}
    assert active == {"11": seconds(3, 2, 12), "12": seconds(3, 2, 18), "13": seconds(3, 3, 9)}


@pytest.mark.parametrize("name", ["q_tags_asof_v1", "badges_asof_v1"])
def test_which_slot_is_what_is_read_back(inputs: FeatureInputs, tmp_path, name: str) -> None:
    fitted, values = fit_and_compute(group_class(name), inputs, folds=2)
    again = reloaded_group(fitted, tmp_path)
    assert sorted(compute_values(again, inputs).collect()) == sorted(values.collect())
