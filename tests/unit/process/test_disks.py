"""Free space is compared with needs, disk by disk; full disks and denied accesses are recognized in exceptions.

Java's messages are those of Spark 3.5 and Hadoop 3.3, cut short.
"""

import errno
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.disks import (
    ALLOW_ACCESS,
    MAKE_SPACE,
    SpaceNeed,
    disk_problem,
    require_scratch,
    require_space,
    scratch_folders,
)

SMALL, LARGE = 1, 2


def check(tmp_path: Path, *, free: dict[int, int]) -> None:
    """Require 3 MB in two folders of one disk and 5 MB on another; only the disks' own folders exist."""

    def device(folder: Path) -> int:
        return {tmp_path / "small": SMALL, tmp_path / "large": LARGE}[folder]

    for name in ("small", "large"):
        (tmp_path / name).mkdir(exist_ok=True)
    require_space(
        [
            SpaceNeed("tables of the lake", str(tmp_path / "small" / "lake"), 2_000_000),
            SpaceNeed("unpacked archives", str(tmp_path / "small" / "lake.staging"), 1_000_000),
            SpaceNeed("Spark's scratch files", str(tmp_path / "large"), 5_000_000),
        ],
        usage=lambda folder: SimpleNamespace(free=free[device(folder)]),
        device=device,
    )


def test_what_fits_to_the_byte_is_enough(tmp_path: Path) -> None:
    check(tmp_path, free={SMALL: 3_000_000, LARGE: 5_000_000})


def test_folders_of_one_disk_share_its_space(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        check(tmp_path, free={SMALL: 2_999_999, LARGE: 5_000_000})
    assert caught.value.exit_code == 4
    assert caught.value.problem == (
        "too little disk space; the job was not started\n"
        f"    3.0 MB needed, 2.9 MB free: 2.0 MB for tables of the lake in {tmp_path}/small/lake, "
        f"1.0 MB for unpacked archives in {tmp_path}/small/lake.staging"
    )
    assert "--no-check-space" in caught.value.remedy


def test_all_disks_that_lack_space_are_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        check(tmp_path, free={SMALL: 0, LARGE: 4_200_000})
    lines = caught.value.problem.splitlines()[1:]
    assert [line.partition(":")[0] for line in lines] == [
        "    3.0 MB needed, 0.0 MB free",
        "    5.0 MB needed, 4.2 MB free",
    ]


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match=f"for the lake, cannot be created: {tmp_path}/file is a file"):
        require_space([SpaceNeed("the lake", f"{tmp_path}/file/lake", 1)])


def test_nothing_to_write_needs_no_space() -> None:
    require_space([])


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
