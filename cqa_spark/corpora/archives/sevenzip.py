"""Extracts the tables of 7z archives, the format of published Stack Exchange dumps, as a stream."""

import io
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Protocol

from py7zr.exceptions import Bad7zFile
from py7zr.io import Py7zIO, WriterFactory

from cqa_spark.corpora.archives.limits import Meter, UnpackLimits
from cqa_spark.corpora.archives.members import table_names
from cqa_spark.corpora.archives.opened_archive import opened_archive


class Target(Protocol):
    """A file or object that is written sequentially."""

    def write(self, data: bytes | bytearray, /) -> None:
        """Write the next bytes."""

    def close(self) -> None:
        """Complete it."""

    def abort(self) -> None:
        """Give up, if it is not complete."""


def extract_tables(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of an archive, one after the other in one thread; memory does not grow with them.

    Args:
        archive: a local file.
        limits: limits on the unpacked size.
        open_target: opens the target of the table of a name.

    Returns:
        The size of each table, by name.

    Raises:
        InputError: the archive is unsafe, damaged, encrypted or beyond the limits, or has no table.
    """
    # py7zr checks the members' target paths, although it writes no files there.
    with opened_archive(archive) as opened, TemporaryDirectory() as nowhere, ExitStack() as targets:
        names = table_names(archive, opened.list())

        def open_and_abort(name: str) -> Target:
            target = open_target(name)
            targets.callback(target.abort)
            return target

        tables = _Tables(Path(nowhere), names, open_and_abort, Meter(archive, archive.stat().st_size, limits))
        opened.extract(nowhere, list(names), factory=tables)
        if missing := names.keys() - tables.opened.keys():
            raise Bad7zFile(f"nothing is stored for {', '.join(sorted(missing))}")
        return {names[member]: table.size() for member, table in tables.opened.items()}


def unpacked_size(archive: Path, limits: UnpackLimits) -> int:
    """Bytes of the tables of an archive, by its header.

    Raises:
        InputError: the archive is unsafe, damaged, encrypted or beyond the limits, as far as its header shows.
    """
    with opened_archive(archive) as opened:
        members = opened.list()
    meter = Meter(archive, archive.stat().st_size, limits)
    for member in members:
        meter.add(member.filename, member.uncompressed)
    names = table_names(archive, members)
    return sum(member.uncompressed for member in members if member.filename in names)


class _Tables(WriterFactory):
    """Gives py7zr the targets of members, by path below a folder.

    Attributes:
        opened: the tables so far, by the name of the member.
    """

    def __init__(self, folder: Path, names: Mapping[str, str], open_target: Callable[[str], Target], meter: Meter):
        self.opened: dict[str, _Table] = {}
        self._members = {str(PurePosixPath(name)): name for name in names}
        self._folder, self._names, self._open_target, self._meter = folder, names, open_target, meter

    def create(self, filename: str) -> Py7zIO:
        """Start the member of that path."""
        member = self._members.pop(str(PurePosixPath(filename).relative_to(self._folder)))
        self.opened[member] = _Table(member, self._open_target(self._names[member]), self._meter)
        return self.opened[member]


class _Table(Py7zIO):
    """Counts a member's bytes, which py7zr compares with the size and checksum in the header, and forwards them."""

    def __init__(self, member: str, target: Target, meter: Meter) -> None:
        self._member, self._target, self._meter = member, target, meter
        self._size = 0

    def write(self, s: bytes | bytearray) -> int:
        """Forward the next bytes."""
        self._meter.add(self._member, len(s))
        self._size += len(s)
        self._target.write(s)
        return len(s)

    def close(self) -> None:
        """End the member, which is completely unpacked."""
        self._target.close()

    def size(self) -> int:
        """Bytes so far."""
        return self._size

    def seekable(self) -> bool:
        """Prevent py7zr from seeking back to the start."""
        return False

    def flush(self) -> None:
        """Nothing is held back."""

    def read(self, size: int | None = None) -> bytes:
        """Never called: nothing is read back."""
        raise io.UnsupportedOperation

    def seek(self, offset: int, whence: int = 0) -> int:
        """Never called: see ``seekable``."""
        raise io.UnsupportedOperation
