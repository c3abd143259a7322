"""What the systems of a job have in common."""

from __future__ import annotations

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.systems.recipes import read_systems, task_of


def test_the_task_is_that_of_the_systems():
    assert task_of(read_systems(["best_b", "search_order_b"])) == "question_question"


def test_systems_of_several_tasks_are_refused():
    with pytest.raises(ConfigError) as caught:
        task_of(read_systems(["given_order", "best_b"]))
    assert caught.value.problem == (
        "the systems are for several tasks: given_order (question_comment), best_b (question_question)"
    )
