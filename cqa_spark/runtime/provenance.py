"""The version of the code that made a run."""

from __future__ import annotations

import subprocess

from cqa_spark import __version__
from cqa_spark.config.project_root import project_root


def code_version() -> str:
    """The package's version, and the commit where the code runs from a checkout."""
    try:
        commit = subprocess.run(
            ["git", "-C", str(project_root()), "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{__version__}+{commit}"
