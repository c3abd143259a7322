"""the published run → reusable trained systems."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import InputError
from cqa_spark.features.probe import values_hash
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.night import CHALLENGES
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.storage import RUNS, Lake
from cqa_spark.model_folder.manifest import MANIFEST, OtherModelFormat
from cqa_spark.model_folder.reading import open_model_folder
from cqa_spark.object_store.locations import copy_folder, open_store
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.train import write_importances
from cqa_spark.systems.model_card import CARD, ModelCard
from cqa_spark.systems.shipped_models import shipped_model
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import load_recipe, model_artifact, trained_system


def kept_model(
    system: System, last: Snapshot | None, storage: ObjectStorageSettings, model: str | None = None
) -> str | None:
    """The folder of a trained system that can be reused.

    Args:
        system: its recipe.
        last: the published run.
        storage: object storage settings.
        model: folder of the trained system to use; None for that of the published run or, failing that, of the package.

    Returns:
        The folder, the published one if the given one is a copy of it; None if the system must be trained: there is
        none of its recipe that learned from the values that this release computes, in a format that it reads.

    Raises:
        InputError: the given folder contains no trained system, or another one.
        ContractError: the folder cannot be used.
    """
    published = last.record.artifacts.get(model_artifact(system.name)) if last is not None else None
    if model is None:
        return next((path for path in (published, shipped_model(system.name)) if _is_of(path, system, storage)), None)
    trained = load_recipe(open_model_folder(model, "trained_system", storage)).system
    if trained.name != system.name:
        raise InputError(f"{model} contains the system {trained.name}", f"name it: --system {trained.name}")
    return published if published is not None and _is_copy(published, model, storage) else model


def _is_of(path: str | None, system: System, storage: ObjectStorageSettings) -> bool:
    """Whether a folder has a model of a recipe and of its features' values, in a format that this release reads."""
    if path is None:
        return False
    try:
        folder = open_model_folder(path, "trained_system", storage)
        if load_recipe(folder).system.computation() != system.computation():
            return False
        if folder.has(CARD) and folder.read_json(CARD, ModelCard).features != values_hash(system.feature_groups):
            raise OtherModelFormat(
                f"the model in {path} learned from other values than those that its feature groups compute in this "
                "release",
                "nothing is to be done: another model takes its place",
            )
    except OtherModelFormat as error:
        Terminal(stderr=True).line(f"warning: {system.name} is not ranked with its last model: {error.problem}")
        return False
    return True


def _is_copy(folder: str, other: str, storage: ObjectStorageSettings) -> bool:
    """Whether two model folders have the same files, by their manifests, which have the hashes of all others."""
    one, two = (open_store(each, storage).read(MANIFEST) for each in (folder, other))
    return one is not None and two is not None and one.data == two.data


def challenging_release(system: System, kept: str, last: Snapshot | None, storage: ObjectStorageSettings) -> str | None:
    """The folder of the package's model of a system, if it has to challenge the one that ranked last night.

    The models of a release challenge once, and not those that somebody named.

    Args:
        system: its recipe.
        kept: folder of the model that ranked.
        last: the published run.
        storage: object storage settings.
    """
    released = shipped_model(system.name)
    if last is None or released is None or not _is_of(released, system, storage):
        return None
    if _is_copy(kept, released, storage) or _was_named(kept, last.lake):
        return None
    trained_in = load_recipe(open_model_folder(released, "trained_system", storage)).training_run
    challenges = (each for each in last.entries_or_none(CHALLENGES) if each["system"] == system.name)
    return None if any(trained_in in (each["run_id"], each["champion"]) for each in challenges) else released


def _was_named(folder: str, lake: Lake) -> bool:
    """Whether a model is one that ``--model`` named, by the settings of the run that it came with."""
    attempt, _, _ = folder.removeprefix(lake.path(f"{RUNS}/")).partition("/")
    records = RunLog(lake.objects).records(attempt.rpartition(".")[0])
    return any(yaml.safe_load(each.config).get("model") for each in records)


@dataclass(frozen=True)
class KeepModels(Step):
    """Reuse trained systems, and write their feature importances.

    Attributes:
        models: folder of each system, by name.
    """

    models: Mapping[str, str]

    name = "models"

    def writes(self) -> tuple[Product, ...]:
        """The models, and the feature importances."""
        return *[Artifact(model_artifact(name)) for name in self.models], FEATURE_IMPORTANCES

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Record the locations of the models, and load them."""
        counts.rows_in = counts.rows_out = len(self.models)
        for name, path in self.models.items():
            run.add_artifact(model_artifact(name), _in_lake(run, name, path))
        write_importances(run, [trained_system(run, model_artifact(name)) for name in self.models])


def _in_lake(run: Run, name: str, path: str) -> str:
    """The folder of a trained system in the run's lake; one from outside is copied there, so that the lake moves whole.

    Args:
        run: the run.
        name: of the system.
        path: its folder.
    """
    if path.startswith(run.lake.path("")):
        return path
    copy = run.artifact_path("models", model_artifact(name))
    copy_folder(path, copy, run.lake.storage)
    return copy
