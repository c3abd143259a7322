"""Recognizes in exceptions of Python and Java what a machine lacked: memory, files, threads, packages, a device."""

import re
from collections.abc import Iterator

from cqa_spark.errors import EnvironmentProblem, message_of

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
