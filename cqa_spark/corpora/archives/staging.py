"""The staging area and all that is done to its files: another storage needs another module with this face."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from cqa_spark.process.disk_failures import cannot_write


@dataclass(frozen=True)
class Staging:
    """A local folder that holds one folder per unpacked archive.

    What starts with a dot in it is its own: locks, notes, and folders that are not finished.

    Attributes:
        root: the folder; made where it is absent.
    """

    root: Path

    def folder(self, name: str) -> Path:
        """Where the folder of that name lies once it is published."""
        return self.root / name

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold off every other process that wants the same folder; a process that dies lets go."""
        with self._writing():
            locks = self.root / ".locks"
            locks.mkdir(parents=True, exist_ok=True)
            held = (locks / name).open("wb")
        with held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    @contextmanager
    def new_folder(self, name: str) -> Iterator[Path]:
        """Give an empty folder that gets its name when the block ends well, and goes when it does not.

        The caller holds the lock of the name, so a folder that is there already was left by a crash, or its record
        is broken; either goes.
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
        """Start a file that must not exist."""
        with self._writing():
            return path.open("xb")

    def write(self, file: BinaryIO, data: bytes | bytearray | memoryview) -> None:
        """Append to a file that ``open_table`` gave."""
        with self._writing():
            file.write(data)

    def close(self, file: BinaryIO) -> None:
        """Close a file; its last bytes are written now."""
        with self._writing():
            file.close()

    def free_bytes(self) -> int:
        """Bytes that fit in still."""
        with self._writing():
            self.root.mkdir(parents=True, exist_ok=True)
            return shutil.disk_usage(self.root).free

    def sizes(self, folder: Path) -> dict[str, int]:
        """Bytes of each file in a folder, sorted by name; nothing where there is no such folder."""
        try:
            return {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
        except OSError:
            return {}

    def note(self, key: str) -> Path:
        """Where a note of that key lies, for ``read_text`` and ``write_text``."""
        return self.root / ".notes" / key

    def read_text(self, path: Path) -> str | None:
        """Read a small file; None where there is none."""
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def write_text(self, path: Path, text: str) -> None:
        """Write or replace a small file at once, so that no reader sees half of it."""
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
