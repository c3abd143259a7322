import stat
from collections import Counter
from pathlib import Path

import py7zr
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packing import POSTS, USERS, pack, staged, unpack_all, unpack_one, with_dictionary

from cqa_spark.corpora.inputs import InputFile, UnpackLimits, find_inputs, refuse_repeated_paths
from cqa_spark.corpora.text_pairs.layouts import QUESTION_PAIRS, SENTENCE_PAIRS
from cqa_spark.corpora.text_pairs.pairs import read_pairs
from cqa_spark.corpora.text_pairs.reader import QuestionPairFiles, StsFiles
from cqa_spark.errors import ConfigError, InputError


def test_a_directory_stands_for_its_dumps_sorted_by_name(tmp_path: Path) -> None:
    for name in ("b.xml", "a.XML", "notes.txt"):
        (tmp_path / name).touch()
    assert find_inputs([tmp_path], "train") == [
        InputFile(str(tmp_path / "a.XML"), "train"),
        InputFile(str(tmp_path / "b.xml"), "train"),
    ]


def test_files_keep_the_order_given_and_need_no_suffix(tmp_path: Path) -> None:
    for name in ("b.xml", "a.dump"):
        (tmp_path / name).touch()
    found = find_inputs([tmp_path / "b.xml", tmp_path / "a.dump"], "dev")
    assert [Path(file.path).name for file in found] == ["b.xml", "a.dump"]


def test_an_address_of_storage_that_is_not_installed_is_refused() -> None:
    with pytest.raises(ConfigError, match="swift:// is not supported storage"):
        find_inputs(["swift://host/forum"], "unannotated")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file or directory: .*absent\.xml"):
        find_inputs([tmp_path / "absent.xml"], "train")


def test_a_directory_without_dumps_is_named(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").touch()
    with pytest.raises(InputError, match=r"no \*\.xml file in the directory"):
        find_inputs([tmp_path], "train")


def test_a_name_that_spark_would_skip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "_dev.xml").touch()
    with pytest.raises(InputError, match=r"Spark skips files such as .*_dev\.xml"):
        find_inputs([tmp_path / "_dev.xml"], "dev")


def test_a_file_named_twice_is_refused() -> None:
    with pytest.raises(InputError, match=r"more than once as input: a\.xml"):
        refuse_repeated_paths([InputFile("a.xml", "train"), InputFile("b.xml", "train"), InputFile("a.xml", "dev")])


UNIX = 0x8000  # the mode stands in the upper half


def refuse(archive: Path, message: str, limits: UnpackLimits | None = None) -> None:
    staging = archive.parent / "staging"
    with pytest.raises(InputError, match=message):
        unpack_one(archive, staging, limits)
    assert staged(staging) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("/etc/Posts.xml", "has an absolute path"),
        ("\\\\server\\Posts.xml", "has an absolute path"),
        ("C:\\dump\\Posts.xml", "has an absolute path"),
        ("c:Posts.xml", "has an absolute path"),
        ("../Posts.xml", "points out of its folder"),
        ("site/../../Posts.xml", "points out of its folder"),
        ("..\\Posts.xml", "points out of its folder"),
        ("../readme.txt", "points out of its folder"),
    ],
)
def test_members_that_lead_elsewhere(tmp_path: Path, name: str, problem: str) -> None:
    archive = pack(tmp_path / "site.7z", {"Users.xml": USERS, name: POSTS})
    shown = name.replace("\\", "/").replace(".", r"\.")
    refuse(archive, rf"site\.7z: the member {shown} {problem}")


@pytest.mark.parametrize(
    "attributes",
    [
        UNIX | (stat.S_IFLNK | 0o777) << 16,
        UNIX | (stat.S_IFCHR | 0o600) << 16,
        UNIX | (stat.S_IFIFO | 0o600) << 16,
        UNIX | (stat.S_IFSOCK | 0o600) << 16,
        stat.FILE_ATTRIBUTE_REPARSE_POINT,
    ],
)
def test_links_and_devices(tmp_path: Path, attributes: int) -> None:
    archive = pack(tmp_path / "site.7z", {"Users.xml": USERS, "Posts.xml": b"/etc/passwd"}, attributes=attributes)
    refuse(archive, r"site\.7z: the member Posts\.xml is a link or a device")


@pytest.mark.parametrize("names", [("Posts.xml", "posts.XML"), ("a/Posts.xml", "b/Posts.xml"), ("Posts.xml",) * 2])
def test_tables_of_one_name(tmp_path: Path, names: tuple[str, str]) -> None:
    with py7zr.SevenZipFile(tmp_path / "site.7z", "w") as archive:
        for name in names:
            archive.writestr(POSTS, name)
    refuse(tmp_path / "site.7z", rf"the members {names[0]} and {names[1]} are tables of the same name")


def test_an_archive_without_tables(tmp_path: Path) -> None:
    names = ("readme.txt", "._Posts.xml", "_Posts.xml", "Posts*.xml", "Posts.xml.bak")
    refuse(pack(tmp_path / "site.7z", dict.fromkeys(names, POSTS)), r"site\.7z contains no table")


def test_an_empty_archive(tmp_path: Path) -> None:
    refuse(pack(tmp_path / "site.7z", {}), r"site\.7z ")


def test_a_ratio_that_the_header_admits(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Users.xml": USERS, "Posts.xml": bytes(10**6)})
    refuse(archive, r"site\.7z unpacks to more than 200 times its [\d,]+ bytes, reached in its member Posts\.xml")


def test_a_member_that_is_no_table_counts(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"notes.txt": bytes(10**6), "Posts.xml": POSTS})
    refuse(archive, r"more than 200 times its [\d,]+ bytes, reached in its member notes\.txt")


def test_a_total_that_the_header_admits(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Users.xml": USERS, "Posts.xml": POSTS})
    total = len(USERS) + len(POSTS)
    refuse(archive, rf"unpacks to more than {total - 1} bytes, .* member Posts\.xml", UnpackLimits(200, total - 1))
    assert unpack_one(archive, tmp_path / "staging", UnpackLimits(200, total)).bytes == total


@pytest.mark.parametrize("hide_names", [False, True])
def test_encrypted_archives(tmp_path: Path, hide_names: bool) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS}, password="secret", hide_names=hide_names)
    refuse(archive, r"site\.7z is encrypted")


def test_methods_that_do_not_stream(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS}, methods=[{"id": py7zr.FILTER_ZSTD, "level": 3}])
    refuse(archive, r"site\.7z is compressed by a method that cannot be streamed: ZStandard")


@pytest.mark.parametrize("content", [b"", b"7z", b"<posts>", bytes(40)])
def test_what_is_no_7z(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "site.7z").write_bytes(content)
    refuse(tmp_path / "site.7z", r"site\.7z is not a 7z archive")


def test_a_missing_archive(tmp_path: Path) -> None:
    refuse(tmp_path / "site.7z", r"no such file: .*site\.7z")


def test_an_archive_named_twice(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS})
    with pytest.raises(InputError, match=r"named more than once as archive: .*site\.7z"):
        unpack_all([archive, archive], tmp_path / "staging")


def test_a_wrong_checksum_names_the_member(tmp_path: Path) -> None:
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS}, methods=[{"id": py7zr.FILTER_COPY}])
    archive.write_bytes(archive.read_bytes().replace(b"Is it so?", b"Is it no?"))
    refuse(archive, r"site\.7z is truncated or damaged: Posts\.xml differs from its checksum")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return pack(tmp_path_factory.mktemp("whole") / "site.7z", {"Users.xml": USERS, "Posts.xml": POSTS * 3}).read_bytes()


@settings(max_examples=40)
@given(place=st.floats(0, 1, exclude_max=True))
def test_whatever_is_cut_off_the_archive_is_refused(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, place: float
) -> None:
    archive = tmp_path_factory.mktemp("cut") / "site.7z"
    archive.write_bytes(whole[: int(place * len(whole))])
    refuse(archive, r"is truncated or damaged|is not a 7z archive")


@settings(max_examples=100)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_bit_that_flips_never_changes_a_table(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, place: float, bit: int
) -> None:
    content = bytearray(whole)
    content[int(place * len(content))] ^= 1 << bit
    archive = tmp_path_factory.mktemp("flipped") / "site.7z"
    archive.write_bytes(content)
    try:
        unpacked = unpack_one(archive, archive.parent / "staging")
    except InputError:
        assert staged(archive.parent / "staging") == []
    else:  # the version of the format is part of no checksum
        assert [Path(file).read_bytes() for file in unpacked.files] == [POSTS * 3, USERS]


def test_a_7z_archive_that_needs_much_memory(tmp_path: Path) -> None:
    methods = [{"id": py7zr.FILTER_LZMA2, "preset": 1}]
    archive = pack(tmp_path / "site.7z", {"Posts.xml": POSTS}, methods=methods, encode_header=False)
    refuse(with_dictionary(archive, 40), r"site\.7z needs more than 134,217,728 bytes of memory to unpack")


def test_what_stands_for_an_archive_is_called_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "site.7z").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n")
    refuse(tmp_path / "site.7z", r"site\.7z is a Git LFS pointer, not the file itself")
    (tmp_path / "site.7z").write_bytes(b"<!DOCTYPE html>\n<html>")
    refuse(tmp_path / "site.7z", r"site\.7z is an HTML page")


# Every file of the STS tasks, and every pair of questions, is read in full.

COUNTS = {
    "2012": (3842, 3842),
    "2013": (1500, 1500),
    "2014": (3750, 3750),
    "2015": (8500, 3000),
    "2016": (9183, 0),
    "2016-crosslingual": (1396, 0),
    "2017/official": (2000, 0),
    "2017/translated": (2000, 0),
    "benchmark": (8628, 7249),
}
"""Pairs of each folder, and how many of them have a score."""


@pytest.mark.parametrize("folder", COUNTS)
def test_all_lines_of_a_folder_are_pairs(cqa_data: Path, folder: str) -> None:
    found = find_inputs([cqa_data / "sts" / folder], "test", patterns=StsFiles.patterns)
    rows = [row for file in found for row in read_pairs(Path(file.path).read_bytes(), SENTENCE_PAIRS).rows]
    assert [row for row in rows if row.problem] == []
    assert (len(rows), sum(row.label is not None for row in rows)) == COUNTS[folder]


def test_all_lines_of_askubuntu_are_pairs_of_questions(cqa_data: Path) -> None:
    found = find_inputs([cqa_data / "askubuntu"], "test", patterns=QuestionPairFiles.patterns)
    rows = [row for file in found for row in read_pairs(Path(file.path).read_bytes(), QUESTION_PAIRS).rows]
    assert [row for row in rows if row.problem] == []
    assert Counter(row.label for row in rows) == {"PerfectMatch": 1000, "Irrelevant": 1000}
    assert not any("possible duplicate" in f"{row.text1} {row.text2}".lower() for row in rows)
