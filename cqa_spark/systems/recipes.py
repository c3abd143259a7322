"""The recipes of a job's systems, and the feature groups that they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.features.feature_table import missing_groups
from cqa_spark.features.group import LearningGroup
from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import LEFT_OUT_GROUPS
from cqa_spark.process.terminal import Terminal
from cqa_spark.rankers.cross_fitted import CrossFittedRanker
from cqa_spark.rankers.model import BaselineModel
from cqa_spark.rankers.random_order import RandomOrderRanker
from cqa_spark.rankers.registry import RankerSpec
from cqa_spark.systems.system import System, known_systems, read_recipe, read_system


def read_systems(names: Iterable[str]) -> list[System]:
    """The systems of these names, from ``conf/systems``."""
    return [read_system(name) for name in names]


def descriptions(names: Iterable[str]) -> dict[str, str]:
    """Descriptions of systems by name; systems without a recipe in ``conf/systems`` are omitted."""
    known = known_systems()
    return {name: read_recipe(name).about for name in names if name in known}


def task_of(systems: Iterable[System]) -> str:
    """The common task of the systems.

    Raises:
        ConfigError: the systems are for several tasks; the error lists the task of each.
    """
    tasks = {system.name: system.task for system in systems}
    if len(set(tasks.values())) > 1:
        listed = ", ".join(f"{name} ({task})" for name, task in tasks.items())
        raise ConfigError(f"the systems are for several tasks: {listed}", "rank one task at a time")
    return next(iter(tasks.values()))


def at_random(systems: Iterable[System]) -> frozenset[str]:
    """The names of the systems that rank at random, whose measures are expected values."""
    return frozenset(system.name for system in systems if system.ranker.name == RandomOrderRanker.name)


def groups_of(systems: Iterable[System]) -> list[str]:
    """The feature groups that any of the systems needs, each once, in the order of first use."""
    return list(dict.fromkeys(group for system in systems for group in system.feature_groups))


def learn(systems: Iterable[System]) -> bool:
    """Whether any of the systems learns from labels; the others order by one column."""
    return any(not issubclass(system.build().model_type, BaselineModel) for system in systems)


def learn_choices(systems: Iterable[System]) -> bool:
    """Whether any of the systems learns from undecided nights as well."""
    return any(system.build().learns_choices for system in systems)


def are_fitted(systems: Iterable[System]) -> bool:
    """Whether any of the systems learns, from labels or from other training data, by its ranker or by a group."""
    systems = list(systems)
    return learn(systems) or any(issubclass(group_class(name), LearningGroup) for name in groups_of(systems))


def cross_fitted(system: System, folds: int) -> System:
    """The system with out-of-fold scores of its training examples; itself if it has them or learns nothing."""
    if system.ranker.name == CrossFittedRanker.name or not learn([system]):
        return system
    ranker = RankerSpec(name=CrossFittedRanker.name, parameters={"member": system.ranker.model_dump(), "folds": folds})
    return system.model_copy(update={"ranker": ranker})


def rank_by_words(systems: Iterable[System]) -> bool:
    """Whether the ranker of any of the systems reads texts."""
    return any(system.reads_texts() for system in systems)


def usable_systems(run: Run, systems: Sequence[System]) -> list[System]:
    """The systems without feature groups that were omitted on every site.

    A system without any other group, or whose ranker sorts by a feature of such a group, is omitted with a warning.

    Args:
        run: a run whose features are computed.
        systems: the recipes.

    Raises:
        InputError: no system is left.
    """
    left_out = {entry["feature_group"] for entry in run.entries_or_none(LEFT_OUT_GROUPS)}
    absent = missing_groups(run, left_out)  # groups that were left out on some sites have values of the others
    usable = []
    for system in systems:
        groups = tuple(group for group in system.feature_groups if group not in absent)
        reduced = system.model_copy(update={"feature_groups": groups})
        if groups == system.feature_groups:
            usable.append(system)
        elif groups and not reduced.missing_features():
            usable.append(reduced)
        else:
            Terminal(stderr=True).line(f"warning: system {system.name} is left out: its features were not computed")
    if not usable:
        raise InputError(f"all systems need {', '.join(sorted(absent))}", "read complete dumps, or name other systems")
    return usable
