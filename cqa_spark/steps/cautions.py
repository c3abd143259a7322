"""The limitations of feature groups that affect a run's results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cqa_spark.features.registry import group_class
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.left_out import LEFT_OUT_GROUPS
from cqa_spark.model_folder.reading import open_model_folder
from cqa_spark.reports.reported_run import Caution
from cqa_spark.steps.languages import foreign_to
from cqa_spark.systems.saved_system import load_recipe
from cqa_spark.systems.trained_system import model_artifact


def cautions(run: Run, systems: Sequence[str]) -> tuple[Caution, ...]:
    """The cautions of the feature groups that systems use, omitted groups, and groups for other languages.

    Args:
        run: the run.
        systems: the systems in its rankings.
    """
    users = _users(run, systems)
    about: dict[str, list[str]] = defaultdict(list)
    for group in users:
        if group_class(group).caution:
            about[group_class(group).caution].append(group)
    for text, group in _left_out(run):
        about[text].append(group)
    for text, groups in foreign_to(run, users):
        about[text].extend(groups)
    return tuple(
        Caution(text, tuple(groups), tuple(dict.fromkeys(name for group in groups for name in users.get(group, []))))
        for text, groups in about.items()
    )


def _users(run: Run, systems: Sequence[str]) -> dict[str, list[str]]:
    """The systems by the feature groups that they use."""
    users: dict[str, list[str]] = defaultdict(list)
    for system in systems:
        if path := run.artifact(model_artifact(system)):
            for group in load_recipe(open_model_folder(path, "trained_system", run.lake.storage)).system.feature_groups:
                users[group].append(system)
    return users


def _left_out(run: Run) -> list[tuple[str, str]]:
    entries = sorted(run.entries_or_none(LEFT_OUT_GROUPS), key=lambda each: (each["site"], each["feature_group"]))
    return [
        (f"not computed for {each['site']}, whose dump has no {each['lacking']}", each["feature_group"])
        for each in entries
    ]
