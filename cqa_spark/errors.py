"""Errors for users: each states what is wrong, where, and what to do.

The class defines the ``exit_code`` of the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class CqaError(Exception):
    """Base of every error that is shown to the user without a traceback.

    Args:
        problem: what was wrong and where (file, line, column, key).
        remedy: what to do next.
    """

    exit_code = 1

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[CqaError], tuple[str, str]]:
        """Both arguments go with the error from process to process; Python would send the first alone."""
        return type(self), (self.problem, self.remedy)

    def __str__(self) -> str:
        return f"{self.problem}\n  → {self.remedy}"


class ConfigError(CqaError):
    """Invalid settings; raised before Spark starts, nothing was read or written."""

    exit_code = 2


class InputError(CqaError):
    """Input that is missing, unreadable, or not what its name promises; nothing was published."""

    exit_code = 3


class EnvironmentProblem(CqaError):
    """The machine lacks something that the job needs (Java, jars, a writable folder)."""

    exit_code = 4


class ContractError(CqaError):
    """Incompatible tables, features or models; the published run is unchanged."""

    exit_code = 5


class AnotherWriter(CqaError):
    """Another process writes the lake, or took over its lease; this process must not write."""

    exit_code = 6


class ChecksFailed(CqaError):
    """A finished run failed its checks; the published run is unchanged."""

    exit_code = 7


def message_of(error: BaseException) -> str:
    """The message of an exception; the name of its class if Java, which has the message, has ended."""
    try:
        return str(error)
    except Exception:
        return type(error).__name__


@contextmanager
def noted(note: str) -> Iterator[None]:
    """Add a note to every exception that leaves the block, interrupts included; the command line shows it.

    Args:
        note: what is true in spite of the failure, such as which run is published by now.
    """
    try:
        yield
    except BaseException as error:
        error.add_note(note)
        raise
