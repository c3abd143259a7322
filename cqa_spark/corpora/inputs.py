"""Which files are read, and as which split."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cqa_spark.errors import InputError

DUMP_SUFFIX = ".xml"
UNANNOTATED = "unannotated"


@dataclass(frozen=True)
class InputFile:
    """One dump to read.

    Attributes:
        path: local path, or an address with a scheme such as ``s3a://`` or ``hdfs://``.
        split: train, dev, test or unannotated.
    """

    path: str
    split: str


def find_inputs(paths: Iterable[str | Path], split: str) -> list[InputFile]:
    """Resolve what the user named into files, in the order given.

    A local directory stands for its ``*.xml`` files, sorted by name. An address with a scheme is passed on
    untouched: whether it exists is known once Spark reads it.

    Args:
        paths: files, directories or addresses.
        split: the split that all of them belong to.

    Raises:
        InputError: a file is missing or unreadable, or a directory holds no dump.
    """
    return [InputFile(path, split) for given in paths for path in _expand(str(given))]


def refuse_repeated_paths(inputs: Sequence[InputFile]) -> None:
    """Refuse a file that is named twice: its threads would count twice.

    Raises:
        InputError: a path occurs more than once.
    """
    repeated = [path for path, count in Counter(file.path for file in inputs).items() if count > 1]
    if repeated:
        raise InputError(f"named more than once as input: {', '.join(repeated)}", "name each file once")


def _expand(given: str) -> list[str]:
    if "://" in given:
        return [given]
    path = Path(given)
    if not path.exists():
        raise InputError(f"no such file or directory: {given}", f"check the path; relative paths start at {Path.cwd()}")
    if not path.is_dir():
        return [str(_readable(path))]
    dumps = sorted(entry for entry in path.iterdir() if entry.suffix.lower() == DUMP_SUFFIX and entry.is_file())
    if not dumps:
        raise InputError(f"no *{DUMP_SUFFIX} file in the directory {given}", "name the directory that holds the dumps")
    return [str(_readable(dump)) for dump in dumps]


def _readable(path: Path) -> Path:
    if not os.access(path, os.R_OK):
        raise InputError(f"cannot read {path}", "give the user that runs the job read access to it")
    if path.name.startswith(("_", ".")):
        raise InputError(f"Spark skips files such as {path}", "rename it: the name must not start with _ or a dot")
    return path
