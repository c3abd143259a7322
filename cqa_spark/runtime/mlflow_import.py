"""The only import of MLflow: without its telemetry, and with a log that shows warnings only."""

from __future__ import annotations

import logging
import os
from types import ModuleType


def import_mlflow() -> ModuleType:
    """Import MLflow, which takes seconds, and return it.

    While it is imported, MLflow would ask an address on the internet for the settings of its telemetry; the only
    address that a job may contact for tracking is that of the tracking server.
    """
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    import mlflow

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return mlflow
