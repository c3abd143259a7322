import hashlib
import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import py7zr
import pytest
from packing import POSTS, USERS, fits, folder_of, pack, staged, unpack_all, unpack_one

from cqa_spark.corpora import unpacking
from cqa_spark.corpora import unpacking as staging
from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.unpacking import Unpacked, unpack
from cqa_spark.errors import EnvironmentProblem, InputError


def test_a_site_gives_a_folder_with_its_tables_and_a_record(tmp_path: Path) -> None:
    archive = pack(
        tmp_path / "beer.stackexchange.com.7z", {"Users.xml": USERS, "posts.XML": POSTS, "readme.txt": b"read"}
    )
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    folder = tmp_path / "staging" / f"beer.stackexchange.com-{sha256[:12]}"
    assert unpack_one(archive, tmp_path / "staging") == Unpacked(
        archive=str(archive),
        files=(str(folder / "Users.xml"), str(folder / "posts.XML")),
        bytes=len(USERS) + len(POSTS),
        reused=False,
    )
    assert {file.name: file.read_bytes() for file in folder.glob("*.[xX]*")} == {"Users.xml": USERS, "posts.XML": POSTS}
    assert json.loads((folder / "_unpacked.json").read_text()) == {
        "source": "beer.stackexchange.com.7z",
        "sha256": sha256,
        "files": {"Users.xml": len(USERS), "posts.XML": len(POSTS)},
    }
    assert staged(tmp_path / "staging") == [folder.name]


@pytest.mark.parametrize("method", [py7zr.FILTER_BZIP2, py7zr.FILTER_LZMA, py7zr.FILTER_DEFLATE, py7zr.FILTER_COPY])
def test_methods_that_stream_are_read(tmp_path: Path, method: int) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS * 100}, methods=[{"id": method}])
    assert Path(unpack_one(archive, tmp_path / "staging").files[0]).read_bytes() == POSTS * 100


def test_an_archive_of_several_blocks_is_read(tmp_path: Path) -> None:
    pack(tmp_path / "site.7z", {"Posts.xml": POSTS, "Tags.xml": b"<tags/>"})
    with py7zr.SevenZipFile(tmp_path / "site.7z", "a") as archive:
        archive.writestr(b"-", "readme.txt")
        archive.writestr(USERS, "Users.xml")
    unpacked = unpack_one(tmp_path / "site.7z", tmp_path / "staging")
    assert [Path(file).read_bytes() for file in unpacked.files] == [POSTS, b"<tags/>", USERS]


def test_empty_tables_and_folders_inside_are_fine(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    for name, content in {"Posts.xml": POSTS, "Tags.xml": b"", "Users.xml": USERS}.items():
        (tmp_path / "site" / name).write_bytes(content)
    with py7zr.SevenZipFile(tmp_path / "site.7z", "w") as archive:
        archive.writeall(tmp_path / "site", "site")
    unpacked = unpack_one(tmp_path / "site.7z", tmp_path / "staging")
    assert [(Path(file).name, Path(file).read_bytes()) for file in unpacked.files] == [
        ("Posts.xml", POSTS),
        ("Tags.xml", b""),
        ("Users.xml", USERS),
    ]


def test_many_archives_at_once_come_in_the_order_given(tmp_path: Path) -> None:
    archives = [pack(tmp_path / f"{name}.7z", {"Posts.xml": POSTS + name.encode()}) for name in "cab"]
    seen: list[Unpacked] = []
    unpacked = unpack(
        archives, tmp_path / "staging", UnpackLimits(), workers=2, progress=seen.append, require_space=fits
    )
    assert [one.archive for one in unpacked] == list(map(str, archives))
    assert [Path(one.files[0]).read_bytes() for one in unpacked] == [POSTS + name for name in (b"c", b"a", b"b")]
    assert seen == unpacked


def test_an_error_in_another_process_arrives_whole(tmp_path: Path) -> None:
    good = pack(tmp_path / "good.7z", {"Posts.xml": POSTS})
    bad = tmp_path / "bad.7z"
    bad.write_bytes(b"<posts>")
    with pytest.raises(InputError, match=r"bad\.7z is not a 7z archive") as caught:
        unpack_all([good, bad], tmp_path / "staging")
    assert caught.value.remedy == "check the content of the file"


def test_no_archive_gives_nothing(tmp_path: Path) -> None:
    assert unpack_all([], tmp_path / "staging") == []


def test_a_second_call_reuses_the_folder_and_does_not_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS, "notes.txt": b"-"})
    first = unpack_one(archive, tmp_path / "staging")
    written = Path(first.files[0]).stat().st_mtime_ns
    monkeypatch.setattr(staging.hashlib, "file_digest", lambda file, name: pytest.fail("hashed again"))
    second = unpack_one(archive, tmp_path / "staging")
    assert (second.reused, second.files, second.bytes) == (True, first.files, len(POSTS))
    assert Path(second.files[0]).stat().st_mtime_ns == written


def test_the_same_archive_at_another_place_is_reused(tmp_path: Path) -> None:
    first = unpack_one(pack(tmp_path / "site.7z", {"Posts.xml": POSTS}), tmp_path / "staging")
    (tmp_path / "moved").mkdir()
    moved = Path(shutil.move(tmp_path / "site.7z", tmp_path / "moved"))
    second = unpack_one(moved, tmp_path / "staging")
    assert (second.reused, second.archive, second.files) == (True, str(moved), first.files)


def test_a_changed_archive_is_unpacked_beside_the_old_one(tmp_path: Path) -> None:
    first = unpack_one(pack(tmp_path / "site.7z", {"Posts.xml": POSTS}), tmp_path / "staging")
    second = unpack_one(pack(tmp_path / "site.7z", {"Posts.xml": POSTS * 2}), tmp_path / "staging")
    assert not second.reused
    assert [Path(unpacked.files[0]).read_bytes() for unpacked in (first, second)] == [POSTS, POSTS * 2]


@pytest.mark.parametrize("breakage", ["no record", "not JSON", "another shape", "another hash", "shorter", "gone"])
def test_a_folder_that_its_record_does_not_fit_is_made_again(tmp_path: Path, breakage: str) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS})
    first = unpack_one(archive, tmp_path / "staging")
    table = Path(first.files[0])
    record = table.with_name("_unpacked.json")
    match breakage:
        case "no record":
            record.unlink()
        case "not JSON":
            record.write_text("{")
        case "another shape":
            record.write_text("[]")
        case "another hash":
            record.write_text(json.dumps(json.loads(record.read_text()) | {"sha256": "0" * 64}))
        case "shorter":
            table.write_bytes(POSTS[:-1])
        case "gone":
            table.unlink()
    second = unpack_one(archive, tmp_path / "staging")
    assert (second.reused, table.read_bytes()) == (False, POSTS)
    assert unpack_one(archive, tmp_path / "staging").reused


def test_what_a_crash_left_goes_with_the_next_call(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS})
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    left = tmp_path / "staging" / f".unfinished-site-{sha256[:12]}"
    left.mkdir(parents=True)
    (left / "Posts.xml").write_bytes(POSTS[:5])
    unpacked = unpack_one(archive, tmp_path / "staging")
    assert Path(unpacked.files[0]).read_bytes() == POSTS
    assert staged(tmp_path / "staging") == [folder_of(unpacked).name]


def test_of_those_that_unpack_the_same_archive_at_once_one_does_the_work(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS * 100})
    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(lambda _: unpack_one(archive, tmp_path / "staging"), range(4)))
    assert [Path(one.files[0]).read_bytes() == POSTS * 100 for one in outcomes] == [True] * 4
    assert sorted(one.reused for one in outcomes) == [False, True, True, True]


def test_too_little_space_is_told_before_anything_is_unpacked(tmp_path: Path) -> None:
    archives = [pack(tmp_path / f"{name}.7z", {"Posts.xml": POSTS}) for name in ("a", "b")]
    asked = []

    def refuse(size: int) -> None:
        asked.append(size)
        raise EnvironmentProblem("full", "free some space")

    unpack_one(archives[0], tmp_path / "staging")
    unpacked = staged(tmp_path / "staging")
    with pytest.raises(EnvironmentProblem, match="full"):
        unpack(archives, tmp_path / "staging", UnpackLimits(), workers=1, progress=lambda _: None, require_space=refuse)
    assert asked == [len(POSTS)]  # the first archive is unpacked already
    assert staged(tmp_path / "staging") == unpacked


def test_a_disk_that_fills_up_is_no_fault_of_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullDisk(staging.StagedFile):
        def __init__(self, area: staging.Staging, path: Path) -> None:
            self._area = area
            self._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115  closed by abort

    monkeypatch.setattr(unpacking, "StagedFile", FullDisk)
    with pytest.raises(EnvironmentProblem, match=r"cannot write staging folder .*: No space left on device"):
        unpack_one(pack(tmp_path / "site.7z", {"Posts.xml": POSTS}), tmp_path / "staging")
    assert staged(tmp_path / "staging") == []


def test_names_of_folders_are_safe_for_spark(tmp_path: Path) -> None:
    unpacked = unpack_one(pack(tmp_path / "_a site{1}.7z", {"Posts.xml": POSTS}), tmp_path / "staging")
    assert re.fullmatch(r"a_site_1_-[0-9a-f]{12}", folder_of(unpacked).name)


def test_a_real_site_comes_back_byte_by_byte(tmp_path: Path, cqa_data: Path) -> None:
    site = cqa_data / "stackexchange" / "quantumcomputing.stackexchange.com"
    fast = [{"id": py7zr.FILTER_LZMA2, "preset": 0}]
    with py7zr.SevenZipFile(tmp_path / "quantumcomputing.stackexchange.com.7z", "w", filters=fast) as archive:
        for table in sorted(site.glob("*.xml")):
            archive.write(table, table.name)
    unpacked = unpack_one(tmp_path / "quantumcomputing.stackexchange.com.7z", tmp_path / "staging")
    files = list(map(Path, unpacked.files))
    assert [file.name for file in files] == sorted(table.name for table in site.glob("*.xml"))
    assert all(file.read_bytes() == (site / file.name).read_bytes() for file in files)
