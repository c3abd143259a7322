"""What a night goes on from: the published run, its trained systems, and whether its features still stand."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from cqa_spark.config.nightly_settings import NightlySettings
from cqa_spark.errors import InputError
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.needed_tables import sites_of
from cqa_spark.features.registry import group_class
from cqa_spark.lake.publishing import Snapshot, published_run
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.steps.feature_inputs import OPTIONAL
from cqa_spark.steps.train import model_artifact
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem


def last_night(lake: Lake) -> Snapshot | None:
    """What readers see while the run is under way; None in the first night."""
    record = published_run(lake)
    return Snapshot(lake, record) if record is not None else None


def kept_system(run: Run, system: System, last: Snapshot | None, model: str | None = None) -> TrainedSystem | None:
    """A system that was trained before, taken over as this run's.

    Args:
        run: the run.
        system: its recipe.
        last: the published run.
        model: folder of the trained system; None for the published run's.

    Returns:
        The system; None where it has to be trained: there is none, or its recipe has changed since.

    Raises:
        InputError: there is no trained system in the folder, or another one.
    """
    name = model_artifact(system.name)
    path = model or (last.record.artifacts.get(name) if last is not None else None)
    if path is None:
        return None
    trained = TrainedSystem.load(path)
    if model is not None and trained.system.name != system.name:
        raise InputError(f"{model} holds the system {trained.system.name}", f"name it: --system {trained.system.name}")
    if model is None and trained.system != system:
        return None
    run.add_artifact(name, path)
    return trained


def can_reuse(run: Run, last: Snapshot | None, trained: Mapping[str, TrainedSystem], settings: NightlySettings) -> bool:
    """Whether values and rankings of the published run hold for whatever the dump has not changed.

    They do where the same code made them, with the same trained systems and settings, from dumps with the same tables.
    """
    if last is None or settings.full or not (last.has(EXAMPLES) and last.has(RANKINGS)):
        return False
    before = yaml.safe_load(last.record.config) or {}
    models = {model_artifact(name) for name in trained}
    groups = {name: group for each in trained.values() for name, group in each.groups.items()}
    return (
        last.record.code_version == run.record.code_version
        and before.get("features") == settings.features.model_dump(mode="json")
        and all(last.record.artifacts.get(name) == run.record.artifacts[name] for name in models)
        and all(last.has(group_class(name).table()) for name in groups)
        and _same_tables(run, last, groups)
    )


def _same_tables(run: Run, last: Snapshot, groups: Mapping[str, FeatureGroup]) -> bool:
    """Whether each site has the same of the tables that not every dump has: values wait for them, site by site."""
    needed = [OPTIONAL[name] for name in sorted({name for group in groups.values() for name in group.needs})]
    if any(last.has(table) != run.has(table) for table in needed):
        return False
    return all(sites_of(last.read(table)) == sites_of(run.read(table)) for table in needed if last.has(table))
