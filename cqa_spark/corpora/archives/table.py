"""Writes a table from an archive to the staging area."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cqa_spark.corpora.archives.formats import OpenTable
from cqa_spark.corpora.archives.limits import Meter
from cqa_spark.corpora.archives.members import Member
from cqa_spark.corpora.archives.staging import Staging


@dataclass(frozen=True)
class Table:
    """A file being written, counted by the archive's meter.

    Attributes:
        member: source of the bytes.
        file: target of the bytes.
        area: staging area.
        meter: counts the bytes.
    """

    member: Member
    file: BinaryIO
    area: Staging
    meter: Meter

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Count the next bytes, then write them.

        Raises:
            InputError: a limit is exceeded.
        """
        self.meter.add(self.member.name, len(data))
        self.area.write(self.file, data)

    def close(self) -> None:
        """Complete the file."""
        self.area.close(self.file)

    def let_go(self) -> None:
        """Close the file, even if it is incomplete."""
        with suppress(OSError):  # the failing call has already raised the error
            self.file.close()


@contextmanager
def writing_tables(area: Staging, folder: Path, meter: Meter) -> Iterator[OpenTable]:
    """Yield a function that opens the tables of one archive; all are closed after the block.

    Args:
        area: staging area.
        folder: target folder; each table gets the last part of its member's path.
        meter: counts all of them together.
    """
    with ExitStack() as opened:

        def open_table(member: Member) -> Table:
            table = Table(member, area.open_table(folder / member.path.name), area, meter)
            opened.callback(table.let_go)
            return table

        yield open_table
