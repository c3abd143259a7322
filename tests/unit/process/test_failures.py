"""What exceptions say about disks; Java's messages are those of Spark 3.5 and Hadoop 3.3, cut short."""

import errno
import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.failures import (
    ALLOW_ACCESS,
    MAKE_SPACE,
    disk_problem,
    machine_problem,
    require_scratch,
    scratch_folders,
)

LOST = "Job aborted due to stage failure: Task 2 in stage 9.0 failed 1 times, most recent failure: Lost task 2.0 in "
HERE = f"{LOST}stage 9.0 (TID 44) (localhost executor driver): "
ELSEWHERE = f"{LOST}stage 9.0 (TID 44) (10.0.0.7 executor 1): "
WRITING = "org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/lake/texts.\n"
NO_SPACE = "java.io.IOException: No space left on device"


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/reports/r1.html"), " of /reports/r1.html"),
        (OSError(errno.ENOSPC, "No space left on device"), ""),
        (OSError(errno.EDQUOT, "Disk quota exceeded", "/home/me/lake"), " of /home/me/lake"),
        (sqlite3.OperationalError("database or disk is full"), ""),
        (RuntimeError(f"{HERE}{WRITING}Caused by: org.apache.hadoop.fs.FSError: {NO_SPACE}"), " of /lake/texts"),
        (RuntimeError(f"{HERE}{NO_SPACE}\n\tat java.base/sun.nio.ch"), ""),
        (
            RuntimeError(
                f"{HERE}java.io.FileNotFoundException: /tmp/blockmgr-1/0c/shuffle_0 (No space left on device)"
            ),
            " of /tmp/blockmgr-1/0c/shuffle_0",
        ),
        (
            RuntimeError("java.nio.file.FileSystemException: /lake/runs/_delta_log/.0.tmp: No space left on device"),
            " of /lake/runs/_delta_log/.0.tmp",
        ),
        (
            RuntimeError(f"{HERE}PythonException: OSError: [Errno 28] No space left on device: '/staging/Posts.xml'"),
            " of /staging/Posts.xml",
        ),
        (RuntimeError(f"{HERE}java.io.IOException: Disk quota exceeded"), ""),
    ],
)
def test_a_full_disk(error: Exception, problem: str) -> None:
    found = disk_problem(error, ["/"])
    assert found is not None
    assert found.problem.startswith(f"no space left on the disk{problem}; free now: ")
    assert " MB in /, " in found.problem
    assert (found.exit_code, found.remedy) == (4, MAKE_SPACE)


def test_a_full_disk_of_an_executor_is_named_with_its_host() -> None:
    found = disk_problem(RuntimeError(f"{ELSEWHERE}{NO_SPACE}"))
    assert found is not None
    assert found.problem == "no space left on a disk of executor 10.0.0.7"


def test_a_full_disk_is_found_behind_the_error_that_it_caused() -> None:
    error = RuntimeError("could not save the model")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device", "/models/m")
    found = disk_problem(error)
    assert found is not None
    assert found.problem.startswith("no space left on the disk of /models/m; ")


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/reports"), "no access to /reports: Permission denied"),
        (OSError(errno.EROFS, "Read-only file system", "/lake/x"), "no access to /lake/x: Read-only file system"),
        (
            RuntimeError("java.nio.file.AccessDeniedException: /lake/posts"),
            "no access to /lake/posts: permission denied",
        ),
        (RuntimeError(f"{HERE}java.io.IOException: Mkdirs failed to create file:/lake/a (exists=false)"),
         "no access to /lake/a: permission denied"),
        (RuntimeError("java.io.FileNotFoundException: /tmp/blockmgr/x (Permission denied)"),
         "no access to /tmp/blockmgr/x: permission denied"),
        (
            RuntimeError("java.io.IOException: Failed to create a temp directory (under /scratch) after 10 attempts!"),
            "no access to /scratch: permission denied",
        ),
    ],
)  # fmt: skip
def test_a_folder_without_permission(error: Exception, problem: str) -> None:
    found = disk_problem(error)
    assert found is not None
    assert (found.problem, found.exit_code, found.remedy) == (problem, 4, ALLOW_ACCESS)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x"),
        FileNotFoundError(errno.ENOENT, "No such file or directory", "/x"),
        RuntimeError(f"{HERE}null"),
        RuntimeError(f"{HERE}{WRITING}Caused by: java.lang.NullPointerException"),
    ],
)
def test_other_errors_say_nothing_about_disks(error: Exception) -> None:
    assert disk_problem(error) is None


def test_spark_takes_its_scratch_folders_from_the_environment_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    assert scratch_folders(None) == ["/tmp"]
    assert scratch_folders("/a,/b") == ["/a", "/b"]
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/c")
    assert scratch_folders("/a,/b") == ["/c"]


def test_a_scratch_folder_that_takes_a_file_is_left_empty(tmp_path: Path) -> None:
    require_scratch(str(tmp_path / "new"))
    assert list((tmp_path / "new").iterdir()) == []


def test_a_scratch_folder_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match=f"cannot write Spark's scratch folder {tmp_path}/file/x: Not a dir"):
        require_scratch(f"{tmp_path}/file/x")


# What exceptions about the machine are taken for.


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
