"""The folder of the project's own files: ``conf/``, ``.jars/``."""

from __future__ import annotations

import os
from pathlib import Path


def project_root() -> Path:
    """Return the folder that contains ``conf/``: the environment variable ``CQA_HOME``, or the checkout.

    ``spark-submit.sh`` sets ``CQA_HOME``, since a cluster imports the package from a zip file.
    """
    named = os.environ.get("CQA_HOME")
    return Path(named) if named else Path(__file__).resolve().parents[2]
