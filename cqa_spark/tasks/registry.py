"""The registry of tasks; a new task is added here only."""

from __future__ import annotations

from cqa_spark.errors import ConfigError
from cqa_spark.tasks.arabic_pair import ArabicPair
from cqa_spark.tasks.duplicate import Duplicate
from cqa_spark.tasks.external_comment import ExternalComment
from cqa_spark.tasks.preferred_answer import PreferredAnswer
from cqa_spark.tasks.question_comment import QuestionComment
from cqa_spark.tasks.question_question import QuestionQuestion
from cqa_spark.tasks.sts import Sts
from cqa_spark.tasks.task import Task

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        QuestionComment(),
        QuestionQuestion(),
        ExternalComment(),
        ArabicPair(),
        Duplicate(),
        PreferredAnswer(),
        Sts(),
    )
}


def known_tasks() -> tuple[str, ...]:
    """Names of all tasks, in order of their letters."""
    return tuple(TASKS)


def task(name: str) -> Task:
    """The task of a name.

    Raises:
        ConfigError: unknown task; the known ones are listed.
    """
    if name not in TASKS:
        raise ConfigError(f"unknown task: {name}", f"known tasks: {', '.join(TASKS)}")
    return TASKS[name]
