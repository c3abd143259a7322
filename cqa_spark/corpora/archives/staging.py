"""The local folder that holds the unpacked tables of archives, a folder for each archive."""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from cqa_spark.errors import InputError
from cqa_spark.process.disk_failures import cannot_write


@dataclass(frozen=True)
class Staging:
    """A local folder that holds one folder per unpacked archive.

    Names that start with a dot are internal: locks, notes, and unfinished folders.

    Attributes:
        root: the folder; created if it does not exist.
    """

    root: Path

    def sha256(self, archive: Path) -> str:
        """The hash of an archive, hexadecimal, from the note of an earlier call if the archive has not changed.

        Raises:
            InputError: there is no such file, or it cannot be read.
        """
        size, modified = size_and_time(archive)
        place = self.root / ".notes" / hashlib.sha256(os.fsencode(archive.absolute())).hexdigest()
        note = read_json(place)
        if (note.get("size"), note.get("modified")) == (size, modified):
            return str(note["sha256"])
        note = {"size": size, "modified": modified, "sha256": _hash(archive)}
        refuse_change(archive, (size, modified))
        with self.writing():
            place.parent.mkdir(parents=True, exist_ok=True)
            new = place.with_name(f".{place.name}-{uuid4().hex}")
            new.write_text(json.dumps(note), encoding="utf-8")
            new.replace(place)
        return str(note["sha256"])

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Lock a folder against other processes; the lock is released when the process ends."""
        with self.writing():
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
        with self.writing():
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
        try:
            yield unfinished
            with self.writing():
                shutil.rmtree(self.root / name, ignore_errors=True)
                unfinished.rename(self.root / name)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Convert failures of the block to write.

        Raises:
            EnvironmentProblem: the disk is full, or the folder cannot be written to.
        """
        try:
            yield
        except OSError as error:
            raise cannot_write(f"staging folder {self.root}", error) from error


class StagedFile:
    """A file of the staging area that is written sequentially.

    Args:
        area: the staging area.
        path: the file, which must not exist.
    """

    def __init__(self, area: Staging, path: Path) -> None:
        self._area = area
        with area.writing():
            self._file = path.open("xb")

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append bytes."""
        with self._area.writing():
            self._file.write(data)

    def close(self) -> None:
        """Complete the file."""
        with self._area.writing():
            self._file.close()

    def abort(self) -> None:
        """Close the file, even if it is incomplete."""
        with suppress(OSError):  # the failing call has already raised the error
            self._file.close()


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file; empty if the file is missing or holds none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def size_and_time(path: Path) -> tuple[int, int]:
    """The bytes of a file, and the time of its last change in nanoseconds.

    Raises:
        InputError: there is no such file.
    """
    if not path.is_file():
        raise InputError(f"no such file: {path}", f"check the path; relative paths start at {Path.cwd()}")
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def refuse_change(archive: Path, before: tuple[int, int]) -> None:
    """Refuse an archive that has another size or time than before.

    Raises:
        InputError: it has.
    """
    if size_and_time(archive) != before:
        raise InputError(f"{archive} changed while it was unpacked", "wait until it is complete, then try again")


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", "give the user that runs the job access") from error
