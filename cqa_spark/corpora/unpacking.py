"""Unpacks the tables of archives, each archive only once: into a folder of this machine, or into a bucket.

The staging folder holds a folder for each archive, named after it and the hash of its content. On this machine, several
processes may use the folder at the same time. For executors that share no folder with the driver, tasks of Spark
unpack into a bucket.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from pyspark.sql import SparkSession

from cqa_spark.corpora.archives import Target, extract_tables, extract_zip, is_zip, unpacked_size, zip_size
from cqa_spark.corpora.inputs import UnpackLimits
from cqa_spark.errors import ConfigError, CqaError, EnvironmentProblem, InputError
from cqa_spark.object_store.locations import fetch, find_files, open_store, split
from cqa_spark.process.disks import cannot_write, scratch_folders
from cqa_spark.process.pool import Pool
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote

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


def unpack(
    archives: Sequence[Path],
    staging: Path,
    limits: UnpackLimits,
    *,
    workers: int,
    progress: Callable[[Unpacked], None],
    require_space: Callable[[int], None],
) -> list[Unpacked]:
    """Unpack the tables of archives that no earlier call has unpacked.

    The headers of all archives are checked before the first is unpacked, so that most problems are reported early.

    Args:
        archives: local files.
        staging: folder that gets one folder per archive; created if it does not exist.
        limits: limits on the unpacked size of each archive.
        workers: number of archives to unpack in parallel, one process each.
        progress: called with every finished archive, in the order given.
        require_space: called with the bytes to unpack, before the first; raises an error if they do not fit.

    Returns:
        The outcome for each archive, in the order given.

    Raises:
        InputError: an archive is named twice, missing, unsafe, damaged or beyond the limits; nothing of it is left.
        EnvironmentProblem: the staging folder cannot be written to, or a process was killed.
    """
    repeated = [str(path) for path, count in Counter(path.absolute() for path in archives).items() if count > 1]
    if repeated:
        raise InputError(f"named more than once as archive: {', '.join(repeated)}", "name each archive once")
    area = Staging(staging.absolute())
    calls = [(area, limits, archive) for archive in archives]
    unpacked = []
    try:
        with Pool(min(workers, len(archives))) as pool:
            require_space(sum(pool.in_order(_missing_bytes, calls)))
            for outcome in pool.in_order(_unpack, calls):
                progress(outcome)
                unpacked.append(outcome)
    except BrokenProcessPool as error:
        raise EnvironmentProblem(
            "a process that unpacks archives was killed, perhaps because memory ran out", "try again with fewer workers"
        ) from error
    return unpacked


def _missing_bytes(area: Staging, limits: UnpackLimits, archive: Path) -> int:
    sha256 = area.sha256(archive)
    folder = area.root / folder_name(archive.name, sha256)
    return 0 if _table_sizes(folder, sha256) else (zip_size if is_zip(archive) else unpacked_size)(archive, limits)


def _unpack(area: Staging, limits: UnpackLimits, archive: Path) -> Unpacked:
    before, sha256 = size_and_time(archive), area.sha256(archive)
    name = folder_name(archive.name, sha256)
    with area.lock(name):
        # Another process may have unpacked it while this one waited for the lock.
        sizes = _table_sizes(area.root / name, sha256)
        reused = bool(sizes)
        if not reused:
            with area.new_folder(name) as folder:
                sizes = extract(archive, limits, lambda table: StagedFile(area, folder / table))
                refuse_change(archive, before)
                record = {"source": archive.name, "sha256": sha256, "files": dict(sorted(sizes.items()))}
                with area.writing():
                    (folder / RECORD).write_text(json.dumps(record, indent=2), encoding="utf-8")
    files = tuple(str(area.root / name / table) for table in sorted(sizes))
    return Unpacked(str(archive), files, sum(sizes.values()), reused)


def _table_sizes(folder: Path, sha256: str) -> dict[str, int]:
    """The size of each table in a folder, by name; empty unless its record says that they are those of the archive."""
    record: dict[str, Any] = read_json(folder / RECORD)
    sizes = record.get("files")
    if record.get("sha256") != sha256 or not isinstance(sizes, dict):
        return {}
    stored = {file.name: file.stat().st_size for file in folder.iterdir()}
    return sizes if sizes.items() <= stored.items() else {}


def unpack_in_bucket(
    session: SparkSession,
    archives: Sequence[str],
    staging: str,
    limits: UnpackLimits,
    storage: ObjectStorageSettings,
    *,
    progress: Callable[[Unpacked], None],
) -> list[Unpacked]:
    """Unpack the tables of archives that no earlier call has unpacked, one task per archive.

    A task copies its archive to the local disk, because reading 7z archives requires seeking. It uploads tables in
    parts and keeps one part in memory.

    Args:
        session: runs the tasks.
        archives: addresses, ``s3a://…``.
        staging: folder that gets one folder per archive, ``s3a://…``.
        limits: limits on the unpacked size of each archive.
        storage: object storage settings.
        progress: called with every archive, in the order given.

    Returns:
        The outcome for each archive, in the order given.

    Raises:
        ConfigError: an archive is on the driver's disk.
        InputError: an archive is missing, unsafe, damaged or beyond the limits.
    """
    local = [archive for archive in archives if not is_remote(archive)]
    if local:
        raise ConfigError(
            f"the staging folder {staging} is in a bucket, and executors cannot read {', '.join(local)}",
            "put the archives into a bucket, too, or name a local folder with --unpack.staging in local mode",
        )
    versions = [(archive, _version(archive, storage)) for archive in archives]
    unpacking = partial(_unpack_into_bucket, staging.rstrip("/"), limits, storage)
    unpacked = []
    # One task per archive, because sizes differ by a factor of thousands.
    for outcome in session.sparkContext.parallelize(versions, len(versions)).map(unpacking).collect():
        if isinstance(outcome, CqaError):
            raise outcome
        progress(outcome)
        unpacked.append(outcome)
    return unpacked


def _unpack_into_bucket(
    staging: str,
    limits: UnpackLimits,
    storage: ObjectStorageSettings,
    versioned: tuple[str, str],
) -> Unpacked | CqaError:
    """Copy an archive to this machine, unpack it as a stream into the bucket, then write the record.

    Returns:
        The outcome, or the user's error; if it were raised, Spark would retry the task and bury it in a trace.
    """
    archive, version = versioned
    name = split(archive)[1]
    folder = f"{staging}/{folder_name(name, hashlib.sha256(f'{archive} {version}'.encode()).hexdigest())}"
    store = open_store(folder, storage)
    with TemporaryDirectory(prefix="cqa-archive-", dir=scratch_folders(None)[0]) as scratch:
        copy = Path(scratch) / name
        try:
            record = store.read(RECORD)
            if record:
                sizes = json.loads(record.data)
            else:
                fetch(archive, copy, storage)
                sizes = extract(copy, limits, store.writer)
                store.put(RECORD, json.dumps(sizes).encode())
        except CqaError as error:
            return type(error)(error.problem.replace(str(copy), archive), error.remedy)
    files = tuple(f"{folder}/{table}" for table in sorted(sizes))
    return Unpacked(archive, files, sum(sizes.values()), reused=record is not None)


def _version(archive: str, storage: ObjectStorageSettings) -> str:
    for file in find_files(archive, storage):
        if file.location == archive:
            return file.version
    raise InputError(f"no such archive: {archive}", "check the address")


def folder_name(archive: str, identity: str) -> str:
    """Name of the folder for an archive's tables, in characters without special meaning for Spark or any storage.

    Args:
        archive: its file name.
        identity: hash of its content or version, hexadecimal.
    """
    stem = re.sub(r"(?i)\.(7z|zip)$", "", archive)
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", stem).lstrip("._")
    return f"{plain or 'archive'}-{identity[:SHOWN_DIGITS]}"


def extract(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of a 7z or zip archive; arguments, result and errors as for ``archives.extract_tables``."""
    return (extract_zip if is_zip(archive) else extract_tables)(archive, limits, open_target)


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
        note_path = self.root / ".notes" / hashlib.sha256(os.fsencode(archive.absolute())).hexdigest()
        note = read_json(note_path)
        if (note.get("size"), note.get("modified")) == (size, modified):
            return str(note["sha256"])
        try:
            with archive.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(
                f"cannot read {archive}: {error.strerror}", "give the user that runs the job access"
            ) from error
        note = {"size": size, "modified": modified, "sha256": sha256}
        refuse_change(archive, (size, modified))
        with self.writing():
            note_path.parent.mkdir(parents=True, exist_ok=True)
            new = note_path.with_name(f".{note_path.name}-{uuid4().hex}")
            new.write_text(json.dumps(note), encoding="utf-8")
            new.replace(note_path)
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
