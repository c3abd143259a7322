"""The staging area and its file operations; another storage needs a module with the same interface."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from cqa_spark.corpora.archives.formats import OpenTable
from cqa_spark.corpora.archives.limits import Meter
from cqa_spark.corpora.archives.members import Member
from cqa_spark.process.disk_failures import cannot_write


@dataclass(frozen=True)
class Staging:
    """A local folder that holds one folder per unpacked archive.

    Names that start with a dot are internal: locks, notes, and unfinished folders.

    Attributes:
        root: the folder; created if it does not exist.
    """

    root: Path

    def folder(self, name: str) -> Path:
        """The path of the folder of that name after it is published."""
        return self.root / name

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Lock a folder against other processes; the lock is released when the process ends."""
        with self._writing():
            locks = self.root / ".locks"
            locks.mkdir(parents=True, exist_ok=True)
            held = (locks / name).open("wb")
        with held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    @contextmanager
    def new_folder(self, name: str) -> Iterator[Path]:
        """Create an empty folder that is renamed to its name if the block succeeds, and deleted otherwise.

        The caller holds the lock of the name, so an existing folder was left by a crash, or its record is damaged;
        it is deleted.
        """
        unfinished = self.root / f".unfinished-{name}"
        with self._writing():
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
        try:
            yield unfinished
            with self._writing():
                shutil.rmtree(self.folder(name), ignore_errors=True)
                unfinished.rename(self.folder(name))
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def open_table(self, path: Path) -> BinaryIO:
        """Create a file that must not exist."""
        with self._writing():
            return path.open("xb")

    def write(self, file: BinaryIO, data: bytes | bytearray | memoryview) -> None:
        """Append to a file opened by ``open_table``."""
        with self._writing():
            file.write(data)

    def close(self, file: BinaryIO) -> None:
        """Flush and close a file."""
        with self._writing():
            file.close()

    def sizes(self, folder: Path) -> dict[str, int]:
        """Size in bytes of each file in a folder, sorted by name; empty if the folder does not exist."""
        try:
            return {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
        except OSError:
            return {}

    def note(self, key: str) -> Path:
        """The path of a note, for ``read_text`` and ``write_text``."""
        return self.root / ".notes" / key

    def read_text(self, path: Path) -> str | None:
        """Read a small file; None if it does not exist."""
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def write_text(self, path: Path, text: str) -> None:
        """Write or replace a small file atomically."""
        with self._writing():
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{path.name}-{uuid4().hex}")
            new.write_text(text, encoding="utf-8")
            new.replace(path)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(f"staging folder {self.root}", error) from error


@dataclass(frozen=True)
class StagedTable:
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

        def open_table(member: Member) -> StagedTable:
            table = StagedTable(member, area.open_table(folder / member.path.name), area, meter)
            opened.callback(table.let_go)
            return table

        yield open_table
