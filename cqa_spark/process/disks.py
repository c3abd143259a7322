"""Local disks: whether a job has room and permission to write, before it starts and after it failed.

Before a job starts, ``require_space`` compares its needs with the free space. Afterwards, ``disk_problem`` recognizes a
full disk or a denied access in exceptions of Python, Java and Spark's tasks.
"""

import errno
import math
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cqa_spark.errors import EnvironmentProblem, message_of
from cqa_spark.process.failures import machine_problem, with_causes

MAKE_SPACE = (
    "free space there, or name a folder on another disk: --lake for tables, SPARK_LOCAL_DIRS for Spark's scratch files "
    "(under spark-submit.sh --conf spark.local.dir=FOLDER), TMPDIR for temporary files; then run the job again"
)
_MAKE_SPACE_FIRST = (
    "free space there, or name folders on other disks: --lake for tables, --unpack.staging for unpacked archives, "
    "SPARK_LOCAL_DIRS for Spark's scratch files (under spark-submit.sh --conf spark.local.dir=FOLDER); "
    "--no-check-space starts in spite of it"
)
ALLOW_WRITING = "give this user write permission there, or name another folder"
ALLOW_ACCESS = "give this user access to it, or name another folder"


@dataclass(frozen=True)
class SpaceNeed:
    """What a job will write below a local folder.

    Attributes:
        content: the kind of files, such as ``tables of the lake``.
        folder: the folder, which may not exist yet.
        bytes: estimated bytes, in addition to the present ones.
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
        if not existing.is_dir():
            problem = f"{need.folder}, for {need.content}, cannot be created: {existing} is a file, not a folder"
            raise EnvironmentProblem(problem, "name another folder")
        if not os.access(existing, os.W_OK | os.X_OK):
            raise EnvironmentProblem(
                f"{need.folder}, for {need.content}, cannot be written: no permission in {existing}", ALLOW_WRITING
            )
        by_device[device(existing)].append(need)
    shortages = []
    for device_needs in by_device.values():
        needed = sum(need.bytes for need in device_needs)
        free = usage(nearest_folder(device_needs[0].folder)).free
        if needed > free:
            parts = ", ".join(f"{_at_least(need.bytes)} for {need.content} in {need.folder}" for need in device_needs)
            # Rounded down, so that the printed numbers never look like enough.
            shortages.append(f"{_at_least(needed)} needed, {math.floor(free / 1e5) / 10:,.1f} MB free: {parts}")
    if shortages:
        lines = "\n    ".join(["too little disk space; the job was not started", *shortages])
        raise EnvironmentProblem(lines, _MAKE_SPACE_FIRST)


def _at_least(size: int) -> str:
    return f"{math.ceil(size / 1e5) / 10:,.1f} MB"


def nearest_folder(path: str | Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    absolute = Path(path).absolute()
    return next(folder for folder in (absolute, *absolute.parents) if folder.exists())


def scratch_folders(configured: str | None) -> list[str]:
    """The folders for Spark's shuffle and spill files on this machine.

    Args:
        configured: the setting ``spark.local.dir``; None if it is not set.
    """
    on_yarn = os.environ.get("LOCAL_DIRS")
    return (os.environ.get("SPARK_LOCAL_DIRS") or on_yarn or configured or "/tmp").split(",")


def require_scratch(folder: str) -> None:
    """Check that a megabyte can be written to a folder; otherwise Java would end without a visible reason.

    Raises:
        EnvironmentProblem: it cannot be written.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(1 << 20))
    except OSError as error:
        raise cannot_write(f"Spark's scratch folder {folder}", error) from error


_FULL = {errno.ENOSPC, errno.EDQUOT}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_MACHINE_FAILED = {errno.EIO, errno.EMFILE, errno.ENFILE, errno.ESTALE}


def cannot_write(location: str | Path, error: OSError) -> EnvironmentProblem:
    """The error for a file or folder that cannot be written, with a remedy.

    Args:
        location: the file or folder.
        error: the cause.
    """
    remedy = MAKE_SPACE if error.errno in _FULL else _remedy(error, ALLOW_WRITING)
    return EnvironmentProblem(f"cannot write {location}: {error.strerror or error}", remedy)


def cannot_read(location: str | Path, error: OSError) -> EnvironmentProblem:
    """The error for a file or folder that cannot be read or listed, with a remedy.

    Args:
        location: the file or folder.
        error: the cause.
    """
    return EnvironmentProblem(f"cannot read {location}: {error.strerror or error}", _remedy(error, ALLOW_ACCESS))


def _remedy(error: OSError, otherwise: str) -> str:
    failure = machine_problem(error) if error.errno in _MACHINE_FAILED else None
    return failure.remedy if failure else otherwise


_FULL_MESSAGE = r"No space left on device|Disk quota exceeded|database or disk is full|\[Errno (?:28|122)\]"
_DENIED_MESSAGE = r"Permission denied|Read-only file system|attempt to write a readonly database"
_LOCAL = r"(?:file:)?(/[^\s:'\"()]+)"
_DENIED_BY_JAVA = (
    rf"java\.nio\.file\.AccessDeniedException: {_LOCAL}",
    rf"Mkdirs failed to create {_LOCAL}",
    rf"Failed to create a temp directory \(under {_LOCAL}\)",
)
_ON_EXECUTOR = r"\(TID \d+\) \((\S+) executor (?!driver\b)\S+\)"


def disk_problem(error: BaseException, folders: Sequence[str] = ()) -> EnvironmentProblem | None:
    """The error for an exception about a disk; None for other exceptions.

    Args:
        error: of Python or, through py4j, of Java; its causes are examined as well.
        folders: local output folders of the job; the message contains their free space, because Java often names no
            path.
    """
    for cause in with_causes(error):
        if isinstance(cause, OSError) and cause.errno in _DENIED and cause.filename:
            return _no_access(cause.filename, cause.strerror or "permission denied")
        if isinstance(cause, OSError) and cause.errno in _FULL:
            return _full_disk(cause.filename, folders)
        message = message_of(cause)
        if re.search(_FULL_MESSAGE, message):
            path = _path_in(message, _FULL_MESSAGE)
            if host := re.search(_ON_EXECUTOR, message):
                of_path = f": {path}" if path else ""
                return EnvironmentProblem(f"no space left on a disk of executor {host[1]}{of_path}", MAKE_SPACE)
            return _full_disk(path, folders)
        for pattern in _DENIED_BY_JAVA:
            if match := re.search(pattern, message):
                return _no_access(match[1], "permission denied")
        if re.search(_DENIED_MESSAGE, message) and (path := _path_in(message, _DENIED_MESSAGE)):
            return _no_access(path, "permission denied")
    return None


def _full_disk(path: str | None, folders: Sequence[str]) -> EnvironmentProblem:
    free = []
    for folder in dict.fromkeys([*folders, *scratch_folders(None), tempfile.gettempdir()]):
        free.append(f"{shutil.disk_usage(nearest_folder(folder)).free / 1e6:,.1f} MB in {folder}")
    of_path = f" of {path}" if path else ""
    return EnvironmentProblem(f"no space left on the disk{of_path}; free now: {', '.join(free)}", MAKE_SPACE)


def _no_access(path: str, reason: str) -> EnvironmentProblem:
    """The error for a denied read or write; the exceptions of Python and Java do not distinguish them."""
    return EnvironmentProblem(f"no access to {path}: {reason}", ALLOW_ACCESS)


def _path_in(message: str, problem: str) -> str | None:
    """The path before the problem (Java), after it (Python), or in a failed task (Spark)."""
    patterns = (
        rf"{_LOCAL}(?:: | \()(?:{problem})",
        rf"(?:{problem})[^\n']*: '(/[^']+)'",
        rf"Task failed while writing rows to {_LOCAL}",
    )
    for pattern in patterns:
        if match := re.search(pattern, message):
            return match[1].rstrip(".")
    return None
