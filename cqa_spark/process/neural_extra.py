"""Whether the libraries of the extra ``neural`` are installed."""

from __future__ import annotations

from importlib.util import find_spec

from cqa_spark.errors import EnvironmentProblem


def require_neural(module: str, purpose: str) -> None:
    """Check that a library of the extra is installed.

    Args:
        module: name of its module.
        purpose: what needs it, for the message.

    Raises:
        EnvironmentProblem: it is not installed.
    """
    if find_spec(module) is None:
        raise EnvironmentProblem(
            f"{purpose} needs {module}, which is not installed", "install the extra: pip install 'cqa-spark[neural]'"
        )
