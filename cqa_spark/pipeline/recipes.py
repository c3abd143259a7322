"""The systems that a job is told to work with, and what they need."""

from __future__ import annotations

from collections.abc import Iterable

from cqa_spark.config.home import project_home
from cqa_spark.rankers.system import System, read_system


def read_systems(names: Iterable[str]) -> list[System]:
    """The systems of these names, from ``conf/systems``."""
    return [read_system(project_home() / "conf", name) for name in names]


def groups_of(systems: Iterable[System]) -> list[str]:
    """The feature groups that any of the systems needs, each once, in the order of first use."""
    return list(dict.fromkeys(group for system in systems for group in system.feature_groups))
