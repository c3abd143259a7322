"""Where a run's figures come from: the files it read and the code that ran."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

from cqa_spark import __version__
from cqa_spark.config.home import project_home
from cqa_spark.config.kinds import is_remote
from cqa_spark.corpora.inputs import InputFile
from cqa_spark.lake.run_record import InputRecord


def input_records(inputs: Iterable[InputFile]) -> list[InputRecord]:
    """Size and SHA-256 of every input file on this machine; others by their path, and their size where it is known."""
    return [_input_record(each) for each in inputs]


def _input_record(each: InputFile) -> InputRecord:
    path = Path(each.path)
    if is_remote(each.path) or not path.is_file():
        return InputRecord(each.path, each.split, each.size, None)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return InputRecord(each.path, each.split, path.stat().st_size, digest)


def code_version() -> str:
    """The package's version, and the commit where the code runs from a checkout."""
    try:
        commit = subprocess.run(
            ["git", "-C", str(project_home()), "rev-parse", "--short=12", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{__version__}+{commit}"
