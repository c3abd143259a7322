"""Functions that refuse unknown names of systems, measures, tasks and feature groups in settings."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from cqa_spark.config.value_types import Checks


def checks() -> Checks:
    """The functions by kind of name; what they look names up in is imported when they are called."""
    return {
        "task": partial(_look_up, "cqa_spark.tasks.registry", "task"),
        "corpus": partial(_look_up, "cqa_spark.corpora.registry", "require_file_format"),
        "feature group": partial(_look_up, "cqa_spark.features.registry", "group_class"),
        "measure": partial(_look_up, "cqa_spark.evaluation.measures", "parse_measure"),
        "system": _check_system,
    }


def _look_up(module: str, function: str, name: str) -> None:
    getattr(import_module(module), function)(name)


def _check_system(name: str) -> None:
    from cqa_spark.config.project_root import project_root
    from cqa_spark.systems.system import read_system

    read_system(project_root() / "conf", name)
