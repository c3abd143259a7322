"""Trained systems in MLflow: registered models that can be served, of which the published ones have an alias."""

import io
from contextlib import redirect_stderr
from importlib.metadata import version
from typing import Any

from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.run_tables import RunTables
from cqa_spark.object_store.locations import local_source

PUBLISHED = "published"
"""The alias of the models of the published run."""

_MODEL = "model/"
"""What the names of trained systems among a run's artifacts begin with."""


def models_of(record: RunRecord) -> dict[str, str]:
    """The folders of the trained systems of a run, by name of the system."""
    return {name.removeprefix(_MODEL): path for name, path in record.artifacts.items() if name.startswith(_MODEL)}


def log_model(mlflow: Any, run: RunTables, system: str) -> None:
    """Log and register the model of a system, unless a run has registered it from the same folder."""
    from cqa_spark.runtime.served_model import signature

    folder = models_of(run.record)[system]
    if _version_from(mlflow, system, folder) is not None:
        return
    # MLflow prints a line for each registration.
    with local_source(folder, run.lake.storage) as path, redirect_stderr(io.StringIO()):
        logged = mlflow.pyfunc.log_model(
            name=system,
            loader_module="cqa_spark.runtime.served_model",
            data_path=str(path),
            signature=signature(),
            pip_requirements=[f"cqa-spark[spark,learning]=={version('cqa-spark')}"],
        )
        mlflow.register_model(logged.model_uri, _registered_name(system), tags={"folder": folder})


def mark_published(mlflow: Any, record: RunRecord) -> None:
    """Give the alias ``PUBLISHED`` to the registered models of a run."""
    for system, folder in models_of(record).items():
        if (model_version := _version_from(mlflow, system, folder)) is not None:
            mlflow.MlflowClient().set_registered_model_alias(_registered_name(system), PUBLISHED, model_version)


def _registered_name(system: str) -> str:
    return f"cqa-spark.{system}"


def _version_from(mlflow: Any, system: str, folder: str) -> str | None:
    """The registered version of a system's model that was logged from a folder; None for none."""
    versions = mlflow.MlflowClient().search_model_versions(f"name = '{_registered_name(system)}'")
    return next((stored.version for stored in versions if stored.tags.get("folder") == folder), None)
