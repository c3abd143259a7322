"""Small archives, also such as no packer writes."""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import py7zr

from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.corpora.unpacking import Unpacked, unpack

POSTS = b'<?xml version="1.0"?>\n<posts>\n  <row Id="1" Body="&lt;p&gt;Is it so?&lt;/p&gt;" />\n</posts>\n'
USERS = b'<users>\n  <row Id="7" DisplayName="Ada" />\n</users>\n'


def pack(
    path: Path,
    members: Mapping[str, bytes],
    *,
    attributes: int | None = None,
    password: str | None = None,
    hide_names: bool = False,
    methods: list[dict[str, int]] | None = None,
    encode_header: bool = True,
) -> Path:
    """Pack members under exactly these names; ``attributes`` become those of the last one."""
    with py7zr.SevenZipFile(path, "w", filters=methods, password=password, header_encryption=hide_names) as archive:
        archive.set_encoded_header_mode(encode_header)
        for number, (name, content) in enumerate(members.items()):
            archive.writestr(content, f"member{number}")
            archive.header.files_info.files[-1]["filename"] = name
        if attributes is not None:
            archive.header.files_info.files[-1]["attributes"] = attributes
    return path


def with_dictionary(archive: Path, size_code: int) -> Path:
    """Let the header of an archive of LZMA2, which is not compressed itself, ask for a dictionary; 40 means 4 GiB."""
    content = bytearray(archive.read_bytes())
    offset, size = (int.from_bytes(content[at : at + 8], "little") for at in (12, 20))
    coder = content.index(b"\x21\x21\x01", 32 + offset)
    content[coder + 3] = size_code
    content[28:32] = zlib.crc32(content[32 + offset : 32 + offset + size]).to_bytes(4, "little")
    content[8:12] = zlib.crc32(content[12:32]).to_bytes(4, "little")
    archive.write_bytes(content)
    return archive


def fits(size: int) -> None:
    """Find room for any number of bytes."""


def unpack_all(archives: Sequence[Path], staging: Path, *, workers: int = 2) -> list[Unpacked]:
    """Unpack archives."""
    return unpack(archives, staging, UnpackLimits(), workers=workers, progress=lambda _: None, require_space=fits)


def unpack_one(archive: Path, staging: Path, limits: UnpackLimits | None = None) -> Unpacked:
    """Unpack one archive in this process."""
    (unpacked,) = unpack(
        [archive], staging, limits or UnpackLimits(), workers=1, progress=lambda _: None, require_space=fits
    )
    return unpacked


def folder_of(unpacked: Unpacked) -> Path:
    """The folder of the tables."""
    return Path(unpacked.files[0]).parent


def staged(staging: Path) -> list[str]:
    """Names of the folders that lie in a staging area, without its notes and locks."""
    if not staging.exists():
        return []
    return sorted(entry.name for entry in staging.iterdir() if entry.name not in (".notes", ".locks"))
