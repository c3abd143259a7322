"""Recognizes full disks and missing permissions in exceptions of Python, Java and Spark's tasks."""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cqa_spark.errors import EnvironmentProblem, message_of
from cqa_spark.process.disk_space import nearest_folder
from cqa_spark.process.machine_failures import machine_problem, with_causes

MAKE_SPACE = (
    "free space there, or name a folder on another disk: --lake for tables, SPARK_LOCAL_DIRS for Spark's scratch files "
    "(under spark-submit.sh --conf spark.local.dir=FOLDER), TMPDIR for temporary files; then run the job again"
)
ALLOW_WRITING = "give this user write permission there, or name another folder"
ALLOW_ACCESS = "give this user access to it, or name another folder"

_FULL = {errno.ENOSPC, errno.EDQUOT}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_OF_MACHINE = {errno.EIO, errno.EMFILE, errno.ENFILE, errno.ESTALE}
_FULL_MESSAGE = r"No space left on device|Disk quota exceeded|database or disk is full|\[Errno (?:28|122)\]"
_DENIED_MESSAGE = r"Permission denied|Read-only file system|attempt to write a readonly database"
_LOCAL = r"(?:file:)?(/[^\s:'\"()]+)"
_DENIED_BY_JAVA = (
    rf"java\.nio\.file\.AccessDeniedException: {_LOCAL}",
    rf"Mkdirs failed to create {_LOCAL}",
    rf"Failed to create a temp directory \(under {_LOCAL}\)",
)
_WRITTEN_BY_TASK = rf"Task failed while writing rows to {_LOCAL}"
_ON_EXECUTOR = r"\(TID \d+\) \((\S+) executor (?!driver\b)\S+\)"


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
            return _full(cause.filename, "", folders)
        message = message_of(cause)
        if re.search(_FULL_MESSAGE, message):
            host = re.search(_ON_EXECUTOR, message)
            return _full(_path_in(message, _FULL_MESSAGE), host[1] if host else "", folders)
        if path := _denied_path(message):
            return _no_access(path, "permission denied")
    return None


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


def _remedy(error: OSError, otherwise: str) -> str:
    failure = machine_problem(error) if error.errno in _OF_MACHINE else None
    return failure.remedy if failure else otherwise


def _full(path: str | None, host: str, folders: Sequence[str]) -> EnvironmentProblem:
    if host:
        return EnvironmentProblem(
            f"no space left on a disk of executor {host}{f': {path}' if path else ''}", MAKE_SPACE
        )
    disks = dict.fromkeys([*folders, *scratch_folders(None), tempfile.gettempdir()])
    free = ", ".join(f"{_free_megabytes(folder):,.1f} MB in {folder}" for folder in disks)
    return EnvironmentProblem(f"no space left on the disk{f' of {path}' if path else ''}; free now: {free}", MAKE_SPACE)


def _no_access(path: str, reason: str) -> EnvironmentProblem:
    """The error for a denied read or write; the exceptions of Python and Java do not distinguish them."""
    return EnvironmentProblem(f"no access to {path}: {reason}", ALLOW_ACCESS)


def _free_megabytes(path: str) -> float:
    return shutil.disk_usage(nearest_folder(path)).free / 1e6


def _path_in(message: str, problem: str) -> str | None:
    """The path before the problem (Java), after it (Python), or in a failed task (Spark)."""
    before = rf"{_LOCAL}(?:: | \()(?:{problem})"
    behind = rf"(?:{problem})[^\n']*: '(/[^']+)'"
    match = re.search(before, message) or re.search(behind, message) or re.search(_WRITTEN_BY_TASK, message)
    return match[1].rstrip(".") if match else None


def _denied_path(message: str) -> str | None:
    for sign in _DENIED_BY_JAVA:
        if match := re.search(sign, message):
            return match[1]
    return _path_in(message, _DENIED_MESSAGE) if re.search(_DENIED_MESSAGE, message) else None
