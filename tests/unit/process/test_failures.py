"""Exceptions about the machine, and the errors for users that they become."""

import errno

import pyarrow as pa
import pytest

from cqa_spark.process.failures import machine_problem


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (MemoryError(), "a Python process ran out of memory"),
        (pa.ArrowMemoryError("malloc of size 64 failed"), "a Python process ran out of memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "a Python process ran out of memory"),
        (OSError(errno.EMFILE, "Too many open files", "/lake/a"), "this user has too many open files: /lake/a"),
        (RuntimeError("can't start new thread"), "this user has too many processes and threads"),
        (OSError(errno.EIO, "Input/output error", "/lake/a"), "a disk or network folder failed: /lake/a"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "/tmp/a"), "/tmp/a: No such file or directory"),
        (ModuleNotFoundError("No module named 'xgboost.core'"),
         "the Python package xgboost.core is not installed where it is needed"),
        (OSError("libgomp.so.1: cannot open shared object file: No such file or directory"),
         "the shared library libgomp.so.1 is not installed"),
    ],
)  # fmt: skip
def test_a_failure_of_the_machine(error: Exception, problem: str) -> None:
    found = machine_problem(error)
    assert found is not None
    assert (found.problem, found.exit_code) == (problem, 4)


def test_the_cause_of_an_exception_is_examined() -> None:
    error = ValueError("a step failed")
    error.__cause__ = MemoryError()
    found = machine_problem(error)
    assert found is not None
    assert found.problem == "a Python process ran out of memory"


@pytest.mark.parametrize(
    "error", [KeyError("column"), OSError("made up"), ModuleNotFoundError("No module named 'cqa_spark.lost'")]
)
def test_a_defect_is_none(error: Exception) -> None:
    assert machine_problem(error) is None
