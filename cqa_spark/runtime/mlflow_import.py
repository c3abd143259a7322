"""The only import of MLflow: without telemetry, and with log level WARNING."""

from __future__ import annotations

import logging
import os
from types import ModuleType

from cqa_spark.errors import EnvironmentProblem


def import_mlflow() -> ModuleType:
    """Import MLflow, an optional dependency whose import takes seconds, and return it.

    By default, importing MLflow requests telemetry settings from the internet. A job may contact only the tracking
    server.

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
