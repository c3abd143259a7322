"""Compares the free space of local disks with what a job will write, before it starts."""

import math
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cqa_spark.errors import EnvironmentProblem

_MAKE_SPACE = (
    "free space there, or name folders on other disks: --lake for tables, --unpack.staging for unpacked archives, "
    "SPARK_LOCAL_DIRS for Spark's scratch files (under spark-submit.sh --conf spark.local.dir=FOLDER); "
    "--no-check-space starts in spite of it"
)


@dataclass(frozen=True)
class SpaceNeed:
    """What a job will write below a local folder.

    Attributes:
        content: what it is, such as ``tables of the lake``.
        folder: the folder, which may not exist yet.
        bytes: estimated bytes, in addition to those that are there.
    """

    content: str
    folder: str
    bytes: int


class DiskUsage(Protocol):
    """The sizes of a file system, as ``shutil.disk_usage`` returns them."""

    @property
    def free(self) -> int:
        """Free bytes."""


def require_space(
    needs: Iterable[SpaceNeed],
    *,
    usage: Callable[[Path], DiskUsage] = shutil.disk_usage,
    device: Callable[[Path], int] = lambda folder: folder.stat().st_dev,
) -> None:
    """Check that local disks have room for all that a job will write; nothing is written.

    Args:
        needs: what will be written; folders on the same file system share its free space.
        usage: the sizes of the file system of an existing folder.
        device: the number of the file system of an existing folder.

    Raises:
        EnvironmentProblem: a folder cannot be created; or a file system has less free space than needed, and the
            message lists all such file systems.
    """
    by_device: dict[int, list[SpaceNeed]] = defaultdict(list)
    for need in needs:
        existing = nearest_folder(need.folder)
        if not os.access(existing, os.W_OK | os.X_OK):
            raise EnvironmentProblem(
                f"{need.folder}, for {need.content}, cannot be written: no permission in {existing}",
                "give this user write permission there, or name another folder",
            )
        by_device[device(nearest_folder(need.folder))].append(need)
    shortages = []
    for of_device in by_device.values():
        needed, free = sum(need.bytes for need in of_device), usage(nearest_folder(of_device[0].folder)).free
        if needed > free:
            parts = ", ".join(f"{_at_least(need.bytes)} for {need.content} in {need.folder}" for need in of_device)
            shortages.append(f"{_at_least(needed)} needed, {_at_most(free)} free: {parts}")
    if shortages:
        lines = "\n    ".join(["too little disk space; the job was not started", *shortages])
        raise EnvironmentProblem(lines, _MAKE_SPACE)


def nearest_folder(path: str | Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    absolute = Path(path).absolute()
    return next(folder for folder in (absolute, *absolute.parents) if folder.exists())


def _at_least(size: int) -> str:
    return f"{math.ceil(size / 1e5) / 10:,.1f} MB"


def _at_most(size: int) -> str:
    return f"{math.floor(size / 1e5) / 10:,.1f} MB"
