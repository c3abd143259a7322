"""A night that would fill a local disk is refused before it starts."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import py7zr
import pytest

from cqa_spark.cli import main
from cqa_spark.commands import nightly
from cqa_spark.corpora import disk_space
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process.disk_space import require_space

POSTS = b"<posts>\n" + b'  <row Id="1" PostTypeId="1" Body="a" />\n' * 50_003 + b"</posts>\n"
assert len(POSTS) == 2_050_140
LAKE = SCRATCH = 12_050_140  # POSTS and 10 MB


class Started(EnvironmentProblem):
    """The night has started."""


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """The disk of all folders; its attribute ``free`` is what is free."""
    disk = SimpleNamespace(free=0)
    monkeypatch.setattr(disk_space, "require_space", partial(require_space, usage=lambda folder: disk))
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/scratch-1,{tmp_path}/scratch-2")
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)

    def start(settings: object, job: str) -> None:
        raise Started("the night starts", "")

    monkeypatch.setattr(nightly, "write_lake", start)
    return disk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "beer.example.org"
    folder.mkdir()
    (folder / "Posts.xml").write_bytes(POSTS)
    return folder


def said(capsys: pytest.CaptureFixture[str], path: Path, lake: str, *more: str) -> str:
    """What a night prints that ends before it starts, or as it starts."""
    assert main(["nightly", "--input", str(path), "--lake", lake, *more]) == 4
    return capsys.readouterr().err


def test_a_dump(tmp_path: Path, folder: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    night = partial(said, capsys, folder, str(tmp_path / "lake"))
    disk.free = LAKE + SCRATCH - 1
    assert (
        "too little disk space; the job was not started\n"
        f"    24.2 MB needed, 24.1 MB free: 12.1 MB for tables of the lake in {tmp_path}/lake, 6.1 MB for Spark's "
        f"scratch files in {tmp_path}/scratch-1, 6.1 MB for Spark's scratch files in {tmp_path}/scratch-2\n"
    ) in night()
    assert list(tmp_path.iterdir()) == [folder]
    assert "the night starts" in night("--no-check-space")
    disk.free = LAKE + SCRATCH
    assert "the night starts" in night()


def test_other_systems_may_need_more(
    tmp_path: Path, folder: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    night = partial(
        said, capsys, folder, str(tmp_path / "lake"), "--system", "best_a", "--train", str(folder / "Posts.xml")
    )
    disk.free = 2 * LAKE + 3 * SCRATCH - 1
    assert "60.3 MB needed, 60.2 MB free" in night()
    disk.free += 1
    assert "the night starts" in night()


def test_a_bucket_has_no_limit(
    folder: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nightly, "published_of", lambda lake, corpus: None)
    night = partial(said, capsys, folder, "s3a://bucket/lake")
    disk.free = SCRATCH
    assert "the night starts" in night()
    disk.free -= 1
    assert "\n    12.1 MB needed, 12.0 MB free: 6.1 MB for Spark's scratch files in " in night()
    assert "the night starts" in night("--spark.master", "spark://host:7077")


def test_an_archive(tmp_path: Path, disk: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not unpacked if there is no room for all of the night, and needs its space in the staging folder once."""
    archive, staging = tmp_path / "beer.example.org.7z", tmp_path / "staging"
    with py7zr.SevenZipFile(archive, "w") as packed:
        packed.writestr(POSTS, "Posts.xml")
    more = ["--unpack.staging", str(staging), "--unpack.max-ratio", "10000"]
    night = partial(said, capsys, archive, str(tmp_path / "lake"), *more)
    disk.free = len(POSTS) + LAKE + SCRATCH - 1
    assert f"\n    26.2 MB needed, 26.1 MB free: 2.1 MB for unpacked archives in {staging}, 12.1 MB" in night()
    assert {entry.name for entry in staging.iterdir()} <= {".notes"}
    disk.free += 1
    assert "the night starts" in night()
    disk.free -= len(POSTS)
    assert "the night starts" in night()
