"""Where the project's own files are: `conf/`, `.jars/`."""

from __future__ import annotations

import os
from pathlib import Path


def project_root() -> Path:
    """Give the folder that holds `conf/`: the environment's ``CQA_HOME``, else the checkout of this package.

    ``spark-submit.sh`` sets ``CQA_HOME``, because there the package runs out of a zip file.
    """
    named = os.environ.get("CQA_HOME")
    return Path(named) if named else Path(__file__).resolve().parents[2]
