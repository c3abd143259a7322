"""Groups that need libraries of an extra."""

from __future__ import annotations

from collections.abc import Iterable

from cqa_spark.features.registry import group_class
from cqa_spark.process.extras import require_extra


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
