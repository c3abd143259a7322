from __future__ import annotations

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.tasks.registry import known_tasks, task


def test_tasks_are_known_in_the_order_of_their_letters() -> None:
    assert [(name, task(name).letter) for name in known_tasks()] == [
        ("question_comment", "A"),
        ("question_question", "B"),
        ("external_comment", "C"),
        ("arabic_pair", "D"),
        ("duplicate", "E"),
        ("preferred_answer", "P"),
        ("sts", "S"),
    ]


def test_an_unknown_task_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown task: question_answer") as error:
        task("question_answer")
    assert error.value.remedy == (
        "known tasks: question_comment, question_question, external_comment, arabic_pair, duplicate, preferred_answer, "
        "sts"
    )
