"""Extracts the tables of an archive, wherever they are stored, and names the folder that gets them."""

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cqa_spark.corpora.archives import sevenzip, zstandard
from cqa_spark.corpora.archives.limits import USUAL_RATIO, Meter, UnpackLimits
from cqa_spark.corpora.archives.members import ArchiveFormat, Member, Sink, choose_tables
from cqa_spark.errors import InputError

FORMATS: dict[str, ArchiveFormat] = {".7z": sevenzip, ".xml.zst": zstandard}
"""By suffix, lower case."""

RECORD = "_unpacked.json"
"""The file that marks a folder as complete; Spark does not read files that start with an underscore."""

SHOWN_DIGITS = 12


@dataclass(frozen=True)
class Unpacked:
    """An archive whose tables are in the staging folder.

    Attributes:
        archive: path or address, as given by the user.
        files: paths or addresses of the tables, sorted by name.
        bytes: size of all tables.
        reused: whether an earlier call unpacked it.
    """

    archive: str
    files: tuple[str, ...]
    bytes: int
    reused: bool


class Target(Sink, Protocol):
    """A file or object that is written sequentially."""

    def abort(self) -> None:
        """Give up, if it is not complete."""


@dataclass(frozen=True)
class _Table:
    """The sink of a member: counts its bytes, and passes them to its target."""

    member: Member
    target: Target
    meter: Meter
    sizes: dict[str, int]

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.meter.add(self.member.name, len(data))
        self.target.write(data)
        self.sizes[self.member.path.name] += len(data)

    def close(self) -> None:
        self.target.close()


def extract_tables(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of an archive.

    Args:
        archive: a local file.
        limits: limits on the unpacked size.
        open_target: opens the target of the table of a name.

    Returns:
        The size of each table, by name.

    Raises:
        InputError: the archive is unsafe, damaged or beyond the limits.
    """
    kind = format_of(archive)
    tables = choose_tables(archive, kind.members(archive))
    meter = Meter(archive, archive.stat().st_size, limits)
    sizes: dict[str, int] = {}
    with ExitStack() as opened:

        def open_table(member: Member) -> _Table:
            target = open_target(member.path.name)
            opened.callback(target.abort)
            sizes[member.path.name] = 0
            return _Table(member, target, meter, sizes)

        kind.extract(archive, tables, open_table)
    return sizes


def unpacked_size(archive: Path, limits: UnpackLimits) -> int:
    """Bytes of the tables of an archive, by its header; an estimate if the header does not tell.

    Raises:
        InputError: the archive is unsafe, damaged or beyond the limits, as far as its header shows.
    """
    members = format_of(archive).members(archive)
    size = archive.stat().st_size
    meter = Meter(archive, size, limits)
    for member in members:
        meter.add(member.name, member.size)
    return sum(table.size for table in choose_tables(archive, members)) or size * USUAL_RATIO


def format_of(archive: Path) -> ArchiveFormat:
    """The format of an archive, by its name.

    Raises:
        InputError: no format has the suffix.
    """
    for suffix, kind in FORMATS.items():
        if archive.name.lower().endswith(suffix):
            return kind
    known = ", ".join(f"*{suffix}" for suffix in FORMATS)
    raise InputError(
        f"{archive} is not a supported archive", f"supported are {known}; *.xml.gz and *.xml.bz2 need no unpacking"
    )


def folder_name(archive: str, identity: str) -> str:
    """Name of the folder for an archive's tables, in characters without special meaning for Spark or any storage.

    Args:
        archive: its file name.
        identity: hash of its content or version, hexadecimal.
    """
    stem = re.sub(r"(?i)(\.xml)?\.(7z|zst)$", "", archive)
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", stem).lstrip("._")
    return f"{plain or 'archive'}-{identity[:SHOWN_DIGITS]}"
