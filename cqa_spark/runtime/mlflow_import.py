"""The only import of MLflow: without its telemetry, and with a log that shows warnings only."""

from __future__ import annotations

import logging
import os
from types import ModuleType

from cqa_spark.errors import EnvironmentProblem


def import_mlflow() -> ModuleType:
    """Import MLflow, which takes seconds and is an extra of the package, and return it.

    While it is imported, MLflow would ask an address on the internet for the settings of its telemetry; the only
    address that a job may contact for tracking is that of the tracking server.

    Raises:
        EnvironmentProblem: MLflow is not installed.
    """
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    try:
        import mlflow
    except ModuleNotFoundError as error:
        raise EnvironmentProblem(
            "MLflow is not installed", "install cqa-spark[mlflow], or set tracking.enabled to false"
        ) from error

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return mlflow
