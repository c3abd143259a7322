"""Systems without the feature groups that a run had to leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cqa_spark.errors import InputError
from cqa_spark.features.stored_values import missing_groups
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.left_out import LEFT_OUT_GROUPS
from cqa_spark.process.terminal import Terminal
from cqa_spark.systems.system import System


def usable_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems as the run can train them.

    A group that was left out on every site is taken from the systems that name it. A system whose ranker orders by one
    of its features, or that has no other group, is left out too, with a warning.

    Args:
        run: a run whose features are computed.
        systems: the recipes.

    Raises:
        InputError: no system is left.
    """
    absent = _absent_groups(run)
    found = list(_without(systems, absent)) if absent else list(systems)
    if not found:
        raise InputError(
            f"no system is left without {', '.join(sorted(absent))}", "read complete dumps, or name other systems"
        )
    return found


def _without(systems: Iterable[System], absent: set[str]) -> Iterator[System]:
    for system in systems:
        kept = tuple(group for group in system.feature_groups if group not in absent)
        if kept == system.feature_groups:
            yield system
            continue
        reduced = system.model_copy(update={"feature_groups": kept})
        if kept and not reduced.missing_features():
            yield reduced
        else:
            Terminal(stderr=True).line(f"warning: system {system.name} is left out: its features were not computed")


def _absent_groups(run: Run) -> set[str]:
    """Groups that were left out on every site, so that there is no table of their values."""
    named = {entry["feature_group"] for entry in run.entries_or_none(LEFT_OUT_GROUPS)}
    return missing_groups(run, named)
