"""Free space is compared with what a job will write, disk by disk."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.disk_space import SpaceNeed, require_space

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


def test_nothing_to_write_needs_no_space() -> None:
    require_space([])
