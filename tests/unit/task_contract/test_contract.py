"""Tasks say everything about themselves, and nothing else names one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.systems.system import read_system
from cqa_spark.task_contract.contract import TASKS, task

PACKAGE = Path(__file__).resolve().parents[3] / "cqa_spark"

NAMED_FOR_A_TASK = {
    "commands/duplicates.py", "commands/preferred_answer.py", "commands/train.py",
    "settings/preferred_answer.py",
}  # fmt: skip
"""Commands that are named for a task, and their settings."""

SCORE_FILES = {"commands/measure_files.py", "evaluation/published.py", "findings/question_index.py"}
"""``--task sts`` of the commands on files: files of scores, whatever the task; a link that marks a duplicate."""

SECTIONS_OF_A_TASK = ("reports/sections/xu_2018/",)
"""The sections of a report that show the experiment of a task."""


def test_every_task_has_a_letter_of_its_own() -> None:
    assert {name: task(name).letter for name in TASKS.names()} == {
        "arabic_pair": "D",
        "duplicate": "E",
        "external_comment": "C",
        "preferred_answer": "P",
        "question_comment": "A",
        "question_question": "B",
        "sts": "S",
    }


@pytest.mark.parametrize("name", TASKS.names())
def test_the_baseline_and_the_measures_of_a_task_exist(name: str) -> None:
    assert read_system(task(name).baseline).task == name
    assert [str(parse_measure(measure)) for measure in task(name).measures] == list(task(name).measures)


def test_an_unknown_task_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown task question_answer") as error:
        task("question_answer")
    assert error.value.remedy.endswith(f"? cqa tasks list lists all {len(TASKS.names())} tasks")


def test_no_other_package_imports_or_names_a_task() -> None:
    allowed = NAMED_FOR_A_TASK | SCORE_FILES
    paths = [path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))]
    others = [path for path in paths if path not in allowed and not path.startswith(("tasks/", *SECTIONS_OF_A_TASK))]
    assert [line for path in others for line in _naming_a_task(path)] == []


def _naming_a_task(path: str) -> Iterator[str]:
    """Names with an underscore anywhere but in examples, comments included; ordinary words only as a whole string."""
    text = (PACKAGE / path).read_text(encoding="utf-8")
    telling = "|".join(name for name in TASKS.names() if "_" in name)
    for number, line in enumerate(text.splitlines(), 1):
        # Settings that several commands share lie in a module named for the task.
        is_example = line.lstrip().startswith(">>>")
        if not is_example and re.search(rf"(?<!cqa_spark\.settings\.)\b({telling})\b|\bcqa_spark\.tasks\b", line):
            yield f"{path}:{number}: {line.strip()}"
    for node in ast.walk(ast.parse(text)):
        is_word = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_word and node.value in TASKS.names() and path not in WORDS:
            yield f"{path}:{node.lineno}: {node.value!r}"


WORDS = {"corpora/text_pairs/layouts.py"}
"""Modules in which the name of a task is an ordinary word of a file."""
