import stat
import zipfile
from pathlib import Path

import pytest
from packing import POSTS, USERS, staged, unpack_one

from cqa_spark.errors import InputError


def pack_zip(path: Path, members: dict[str, bytes], *, mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return path


def refuse(archive: Path, message: str) -> None:
    with pytest.raises(InputError, match=message):
        unpack_one(archive, archive.parent / "staging")
    assert staged(archive.parent / "staging") == []


@pytest.mark.parametrize("mode", [0, stat.S_IFREG | 0o644])
def test_tables_are_unpacked_once(tmp_path: Path, mode: int) -> None:
    members = {"site/": b"", "site/Users.xml": USERS, "site/Posts.xml": POSTS, "site/readme.txt": b"read"}
    archive = pack_zip(tmp_path / "beer.example.org.ZIP", members, mode=mode)
    unpacked = unpack_one(archive, tmp_path / "staging")
    assert [(Path(file).name, Path(file).read_bytes()) for file in unpacked.files] == [
        ("Posts.xml", POSTS),
        ("Users.xml", USERS),
    ]
    assert Path(unpacked.files[0]).parent.name.startswith("beer.example.org-")
    assert unpack_one(archive, tmp_path / "staging").reused


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"/etc/Posts.xml": POSTS}, r"the member /etc/Posts\.xml has an absolute path"),
        ({"../Posts.xml": POSTS}, r"the member \.\./Posts\.xml points out of its folder"),
        ({"a/Posts.xml": POSTS, "b/Posts.xml": POSTS}, "are tables of the same name"),
        ({"readme.txt": POSTS}, "contains no table"),
        ({}, "contains no table"),
        ({"Posts.xml": bytes(10**6)}, r"unpacks to more than 200 times its [\d,]+ bytes"),
        ({"notes.txt": bytes(10**6), "Posts.xml": POSTS}, r"reached in its member notes\.txt"),
    ],
)
def test_members_that_are_refused(tmp_path: Path, members: dict[str, bytes], message: str) -> None:
    refuse(pack_zip(tmp_path / "site.zip", members), message)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices(tmp_path: Path, kind: int) -> None:
    refuse(pack_zip(tmp_path / "site.zip", {"Posts.xml": b"/etc/passwd"}, mode=kind | 0o644), "is a link or a device")


def test_a_member_that_is_larger_than_the_directory_says(tmp_path: Path) -> None:
    """The size is checked while the member is unpacked, or the checksum is another."""
    archive = pack_zip(tmp_path / "site.zip", {"Posts.xml": bytes(10**6)})
    content = archive.read_bytes()
    archive.write_bytes(content.replace((10**6).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    refuse(archive, r"site\.zip ")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:-30], r"site\.zip is truncated or damaged: BadZipFile"),
        (lambda content: content.replace(POSTS[:20], b"x" * 20), r"truncated or damaged: .*CRC"),
        (lambda content: b"<html><body>Not found</body></html>", r"site\.zip is an HTML page"),
        (lambda content: b"", r"site\.zip is truncated or damaged"),
    ],
)
def test_damaged_archives(tmp_path: Path, damage, message: str) -> None:  # type: ignore[no-untyped-def]
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        archive.writestr("Posts.xml", POSTS)
    (tmp_path / "site.zip").write_bytes(damage((tmp_path / "site.zip").read_bytes()))
    refuse(tmp_path / "site.zip", message)


def test_an_encrypted_archive(tmp_path: Path) -> None:
    archive = pack_zip(tmp_path / "site.zip", {"Posts.xml": POSTS})
    content = bytearray(archive.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(content)
    refuse(archive, "is encrypted")
