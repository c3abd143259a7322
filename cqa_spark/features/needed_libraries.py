"""The libraries that groups import to compute their values."""

from __future__ import annotations

from collections.abc import Iterable

from cqa_spark.features.registry import group_class
from cqa_spark.process.extras import require_extra


def libraries_of(groups: Iterable[str]) -> frozenset[str]:
    """The modules that groups declare to import, by the names of the groups."""
    return frozenset().union(*(group_class(name).libraries for name in groups))


def require_libraries(groups: Iterable[str]) -> None:
    """Check that the libraries of all groups are installed.

    Args:
        groups: names of feature groups.

    Raises:
        EnvironmentProblem: one is not; the message names the command that installs it.
    """
    for group in map(group_class, groups):
        if group.extra:
            require_extra(group.extra, group.libraries, f"the feature group {group.name}")
