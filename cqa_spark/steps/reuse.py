"""the published run → reusable trained systems, features and rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.nightly_settings import NightlySettings
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.yaml_files import parse_yaml
from cqa_spark.errors import InputError
from cqa_spark.features.group import FeatureGroup
from cqa_spark.features.stored_values import missing_groups
from cqa_spark.lake.publishing import Snapshot, published_run
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import FEATURE_IMPORTANCES, RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import RunTable, Table
from cqa_spark.model_folder.manifest import OtherModelFormat
from cqa_spark.model_folder.reading import open_model_folder
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.steps.feature_inputs import OPTIONAL
from cqa_spark.systems.feature_importances import write_importances
from cqa_spark.systems.saved_system import load_recipe
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem, model_artifact, trained_system


def published_before(lake: Lake) -> Snapshot | None:
    """The published run at the start of a new one; None before the first publication."""
    record = published_run(lake)
    return Snapshot(lake, record) if record is not None else None


def kept_model(
    system: System, last: Snapshot | None, storage: ObjectStorageSettings, model: str | None = None
) -> str | None:
    """The folder of a trained system that can be reused.

    Args:
        system: its recipe.
        last: the published run.
        storage: object storage settings.
        model: folder of the trained system to use; None for the published run's.

    Returns:
        The folder; None if the system must be trained: there is none, its recipe has changed, or another release saved
        it in a format that this one does not read.

    Raises:
        InputError: the given folder contains no trained system, or another one.
        ContractError: the folder cannot be used.
    """
    path = model or (last.record.artifacts.get(model_artifact(system.name)) if last is not None else None)
    if path is None:
        return None
    try:
        trained = load_recipe(open_model_folder(path, "trained_system", storage)).system
    except OtherModelFormat as error:
        if model is not None:
            raise
        Terminal(stderr=True).line(f"warning: {system.name} is retrained: {error.problem}")
        return None
    if model is not None and trained.name != system.name:
        raise InputError(f"{model} contains the system {trained.name}", f"name it: --system {trained.name}")
    return path if model is not None or trained == system else None


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
            run.add_artifact(model_artifact(name), path)
        write_importances(run, [trained_system(run, model_artifact(name)) for name in self.models])


def can_reuse(
    run: Run,
    last: Snapshot | None,
    trained: Mapping[str, TrainedSystem],
    settings: NightlySettings,
    sections: Sequence[str],
) -> bool:
    """Whether values and rankings of the published run are valid for all unchanged examples.

    They are valid if they were computed by the same code, trained systems and settings, from dumps with the same
    tables.

    Args:
        run: the run.
        last: the published run.
        trained: the systems that rank, by name.
        settings: of the nightly run.
        sections: names of the sections of the settings that values depend on.
    """
    if last is None or settings.full or not (last.has(EXAMPLES) and last.has(RANKINGS)):
        return False
    models = {model_artifact(name) for name in trained}
    groups = {name: group for each in trained.values() for name, group in each.groups.items()}
    return (
        same_origin(run, last, {name: getattr(settings, name) for name in sections}, models)
        and not missing_groups(last, groups)
        and _same_tables(run, last, groups)
    )


def sites_to_update(
    run: Run,
    last: Snapshot | None,
    table: Table,
    inputs: Sequence[Table],
    *,
    settings: Mapping[str, BaseModel],
    models: Sequence[str] = (),
) -> set[str] | None:
    """The sites whose rows of a table have to be computed again; published rows of others are valid.

    Args:
        run: the run, which has the inputs.
        last: the published run; None to compute all rows.
        table: the table, whose rows follow from those of the same site.
        inputs: the tables that they follow from.
        settings: the settings that they follow from, by section.
        models: the trained systems that they follow from.

    Returns:
        The sites; None for all, as none is published, or it was computed by other code, settings or models.
    """
    if last is None or not last.has(table):
        return None
    if not isinstance(table, RunTable) and "site" not in last.state(table).partition_by:
        return None
    if not same_origin(run, last, settings, [model_artifact(name) for name in models]):
        return None
    return run.changed_sites(inputs, last)


def update_sites(run: Run, last: Snapshot | None, table: Table, rows: DataFrame, sites: set[str] | None) -> int:
    """Write the rows of some sites beside the published ones of others, or all; return the number of all rows.

    Args:
        run: the run to write to.
        last: the published run, if there are sites.
        table: the table.
        rows: of these sites, and perhaps of others.
        sites: as ``sites_to_update`` gives them.
    """
    if last is None or sites is None:
        return run.write(table, rows).rows
    is_of_sites = F.col("site").isin(*sites)
    of_sites = rows.where(is_of_sites)
    if isinstance(table, RunTable):
        return run.write(table, of_sites.unionByName(last.read(table).where(~is_of_sites))).rows
    run.replace(table, of_sites, sites=sites, base=last.record.table_versions[table.name])
    return run.rows(table)


def same_origin(run: Run, last: Snapshot, settings: Mapping[str, BaseModel], models: Iterable[str] = ()) -> bool:
    """Whether both runs have the same code, settings of the given sections, and artifacts of trained systems."""
    before = parse_yaml(last.record.config, f"settings of run {last.record.run_id}").value or {}
    return (
        last.record.code_version == run.record.code_version
        and all(before.get(name) == section.model_dump(mode="json") for name, section in settings.items())
        and all(last.record.artifacts.get(name) == run.record.artifacts[name] for name in models)
    )


def _same_tables(run: Run, last: Snapshot, groups: Mapping[str, FeatureGroup]) -> bool:
    """Whether each site has the same optional tables; without them, features are omitted per site."""
    needed = [OPTIONAL[name] for name in sorted({name for group in groups.values() for name in group.needs})]
    if any(last.has(table) != run.has(table) for table in needed):
        return False
    return all(
        last.state(table).rows_by_site().keys() == run.state(table).rows_by_site().keys()
        for table in needed
        if last.has(table)
    )
