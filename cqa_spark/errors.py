"""The errors that a user meets: each says what was wrong, where, and what to do next.

The class tells the caller what the job does about it; its ``exit_code`` is what the process ends with.
"""

from __future__ import annotations


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
    """Settings that cannot be used; raised before Spark starts, nothing was read or written."""

    exit_code = 2


class InputError(CqaError):
    """Input that is missing, unreadable, or not what its name promises; nothing was published."""

    exit_code = 3


class EnvironmentProblem(CqaError):
    """The machine lacks something that the job needs (Java, jars, a writable folder)."""

    exit_code = 4


class ContractError(CqaError):
    """Tables, features or models that do not fit together; the published run stays as it was."""

    exit_code = 5


class AnotherWriter(CqaError):
    """Another process writes the lake, or took it over from this one; this one may write no more."""

    exit_code = 6


class ChecksFailed(CqaError):
    """A finished run that is not fit to be seen; the published run stays as it was."""

    exit_code = 7
