"""The extra ``papers``: libraries that only recipes of published systems use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cqa_spark.errors import EnvironmentProblem


@contextmanager
def extra_installed(what: str) -> Iterator[None]:
    """Import libraries of the extra within the block.

    Args:
        what: what they are needed for.

    Raises:
        EnvironmentProblem: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise EnvironmentProblem(
            f"{what} need {error.name}, which is not installed",
            "install cqa-spark[papers], or leave out systems that use these features: cqa systems show NAME",
        ) from error
