"""Single tables compressed with Zstandard: ``Posts.xml.zst``.

Files have one or more frames; checksums are verified if present.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backports.zstd import DecompressionParameter, ZstdError, ZstdFile, get_frame_info

from cqa_spark.corpora.archives.members import Member, MemberKind, OpenTable, refusing_damage
from cqa_spark.errors import InputError

LONGEST_HEADER = 18
"""Bytes of the longest frame header (RFC 8878, section 3.1.1)."""

PIECE = 1 << 20

LARGEST_WINDOW = 27
"""Binary logarithm of the decoder's memory limit; a frame can require terabytes (RFC 8878, 3.1.1.1.2)."""


def members(archive: Path) -> list[Member]:
    """List the one table; its size is that of the first frame, if recorded."""
    with refusing_damage(archive), archive.open("rb") as file:
        size = get_frame_info(file.read(LONGEST_HEADER)).decompressed_size
    return [Member(archive.name[: -len(".zst")], MemberKind.FILE, size or 0)]


def extract(archive: Path, members: Sequence[Member], open_table: OpenTable) -> None:
    """Unpack the table; a truncated last frame is refused."""
    (member,) = members
    limits: dict[int, int] = {DecompressionParameter.window_log_max: LARGEST_WINDOW}
    with refusing_damage(archive), _refusing_memory(archive), ZstdFile(archive, options=limits) as unpacked:
        table = open_table(member)
        shutil.copyfileobj(unpacked, table, PIECE)
        table.close()


@contextmanager
def _refusing_memory(archive: Path) -> Iterator[None]:
    try:
        yield
    except ZstdError as error:
        if "too much memory" not in str(error):
            raise
        raise InputError(
            f"{archive} needs more than {1 << LARGEST_WINDOW:,} bytes of memory to unpack",
            f"check where the archive comes from; if it is right, pack it again with zstd --long={LARGEST_WINDOW}",
        ) from error
