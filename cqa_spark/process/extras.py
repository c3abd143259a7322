"""Whether the libraries of the project's optional extras are installed."""

from collections.abc import Iterable
from importlib.util import find_spec

from cqa_spark.errors import EnvironmentProblem


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
            f"install the extra: pip install 'cqa-spark[{extra}]'",
        )
