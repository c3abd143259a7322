"""Removes feature groups that a run could not compute from systems."""

from collections.abc import Iterable, Iterator, Sequence

from cqa_spark.errors import InputError
from cqa_spark.features.feature_table import missing_groups
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import LEFT_OUT_GROUPS
from cqa_spark.process.terminal import Terminal
from cqa_spark.systems.system import System


def usable_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems without feature groups that were omitted on every site.

    A system without any other group, or whose ranker sorts by a feature of such a group, is omitted with a warning.

    Args:
        run: a run whose features are computed.
        systems: the recipes.

    Raises:
        InputError: no system is left.
    """
    absent = _absent_groups(run)
    found = list(_without(systems, absent)) if absent else list(systems)
    if not found:
        raise InputError(f"all systems need {', '.join(sorted(absent))}", "read complete dumps, or name other systems")
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
    """Groups that were omitted on every site and therefore have no table of values."""
    named = {entry["feature_group"] for entry in run.entries_or_none(LEFT_OUT_GROUPS)}
    return missing_groups(run, named)
