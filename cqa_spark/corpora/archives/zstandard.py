"""Single tables compressed with Zstandard: ``Posts.xml.zst``."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from backports.zstd import ZstdFile, get_frame_info

from cqa_spark.corpora.archives.formats import OpenTable, refusing_damage
from cqa_spark.corpora.archives.members import Kind, Member

SUFFIX = ".xml.zst"
LONGEST_HEADER = 18
"""Bytes of the longest frame header (RFC 8878, section 3.1.1)."""

PIECE = 1 << 20


class Zstandard:
    """Files of one or more frames; their checksums are checked where they have any."""

    def members(self, archive: Path) -> list[Member]:
        """List the one table; its size is what the first frame tells, if it does."""
        with refusing_damage(archive), archive.open("rb") as file:
            size = get_frame_info(file.read(LONGEST_HEADER)).decompressed_size
        return [Member(archive.name[: -len(".zst")], Kind.FILE, size or 0)]

    def extract(self, archive: Path, members: Sequence[Member], open_table: OpenTable) -> None:
        """Unpack the table; a last frame that is cut short is refused."""
        (member,) = members
        with refusing_damage(archive), ZstdFile(archive) as unpacked:
            table = open_table(member)
            shutil.copyfileobj(unpacked, table, PIECE)
            table.close()
