"""Locations, local or ``s3a://…`` alike: their stores, and the files and folders that they name."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO
from uuid import uuid4

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import ObjectStore, storage_of
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote


def open_store(location: str, settings: ObjectStorageSettings | None = None) -> ObjectStore:
    """Open the store at a location, without requests to it.

    Args:
        location: local folder, or an address such as ``s3a://BUCKET/PREFIX``.
        settings: object storage settings; None for Amazon's.

    Raises:
        ConfigError: the type of storage is not supported.
    """
    scheme, is_address, path = location.partition("://")
    if not is_address:
        return Folder(location)
    if scheme == "file":
        return Folder(f"/{path.partition('/')[2]}")
    return storage_of(location).open(location, settings or ObjectStorageSettings())


def split(location: str) -> tuple[str, str]:
    """A location's folder and the name within it; a whole bucket has no name."""
    scheme, separator, path = location.rstrip("/").rpartition("://")
    folder, slash, name = path.rpartition("/")
    if separator and not slash:
        return location, ""
    return f"{scheme}{separator}{folder}" or ("/" if slash else "."), name


def open_file(location: str, storage: ObjectStorageSettings, start: int = 0) -> IO[bytes]:
    """Open a file for reading, at a byte.

    Raises:
        InputError: there is no such file, or it changed; raised here or while it is read.
    """
    folder, name = split(location)
    return open_store(folder, storage).open(name, start)


def write_file(location: str, data: bytes, storage: ObjectStorageSettings) -> None:
    """Write a file atomically; its folder is created if it is missing.

    Raises:
        EnvironmentProblem: it cannot be written.
    """
    folder, name = split(location)
    open_store(folder, storage).put(name, data)


def copy_folder(source: str, target: str, storage: ObjectStorageSettings) -> None:
    """Copy all files of a folder, local or remote, to another, one after the other.

    Raises:
        EnvironmentProblem: the target cannot be written.
    """
    files, copies = open_store(source, storage), open_store(target, storage)
    for key in files.sizes():
        stored = files.read(key)
        if stored is not None:
            copies.put(key, stored.data)


@contextmanager
def local_source(location: str, storage: ObjectStorageSettings) -> Iterator[Path]:
    """A file or folder itself, or a local copy of a remote one while the block runs.

    Raises:
        InputError: there is no such remote file or folder.
    """
    if not is_remote(location):
        yield Path(location)
        return
    with tempfile.TemporaryDirectory(prefix="cqa-copy-") as folder:
        copy = Path(folder, split(location)[1])
        fetch(location, copy, storage)
        yield copy


@contextmanager
def local_target(location: str, storage: ObjectStorageSettings) -> Iterator[Path]:
    """A local path to write a file or folder to; it is uploaded to a remote location when the block succeeds."""
    if not is_remote(location):
        yield Path(location)
        return
    with tempfile.TemporaryDirectory(prefix="cqa-copy-") as folder:
        copy = Path(folder, split(location)[1])
        yield copy
        send(copy, location, storage)


def require_writable(folder: str, storage: ObjectStorageSettings) -> None:
    """Check that a folder, local or in a bucket, is writable, before any work is done.

    Raises:
        EnvironmentProblem: it cannot be made or written.
    """
    store = open_store(folder, storage)
    trial = f"cqa-write-test-{uuid4().hex}"
    try:
        store.put(trial, b"")
        store.delete(trial)
    except EnvironmentProblem as error:
        raise EnvironmentProblem(f"{folder} cannot be written: {error.problem}", error.remedy) from error


WILDCARDS = "*?["


@dataclass(frozen=True)
class FoundFile:
    """A file in object storage.

    Attributes:
        location: its address.
        size: bytes.
        version: identifies its content.
    """

    location: str
    size: int
    version: str


def find_files(location: str, storage: ObjectStorageSettings) -> list[FoundFile]:
    """The remote files at a location, in order: a file, all files below a folder, or those that match a pattern.

    Args:
        location: ``s3a://BUCKET/…``, where ``*``, ``?`` and ``[…]`` match parts of one name.
        storage: object storage settings.
    """
    fixed = location[: min([location.find(mark) for mark in WILDCARDS if mark in location] or [len(location)])]
    folder, start = split(fixed.rstrip("/")) if fixed == location else (fixed.rpartition("/")[0], "")
    files = files_below(folder, storage, start)
    named = location.rstrip("/")
    if fixed != location:
        # A pattern matches whole paths: its parts are compared one by one with the parts of a location.
        depth = len(PurePosixPath(named).parts)
        paths = [(PurePosixPath(file.location), file) for file in files]
        return [file for path, file in paths if len(path.parts) == depth and path.match(named)]
    return [file for file in files if file.location == named or file.location.startswith(f"{named}/")]


def files_below(folder: str, storage: ObjectStorageSettings, start: str = "") -> list[FoundFile]:
    """The files of a remote folder and of the folders in it, in order; no part of its name is a pattern.

    Args:
        folder: ``s3a://BUCKET/…``.
        storage: object storage settings.
        start: the start of the names below the folder.
    """
    store = open_store(folder, storage)
    return [FoundFile(f"{store.root}/{listed.key}", listed.size, listed.version) for listed in store.listed(start)]


def fetch(location: str, target: Path, storage: ObjectStorageSettings) -> None:
    """Copy a remote file, or a folder of them, to this machine.

    Raises:
        InputError: there is no such file or folder.
    """
    folder, name = split(location)
    store = open_store(folder, storage)
    within = [key for key in store.keys(name) if key.startswith(f"{name}/")]
    for key in within:
        store.download(key, target / key.removeprefix(f"{name}/"))
    if not within:
        store.download(name, target)


def fetch_once(location: str, folder: Path, storage: ObjectStorageSettings) -> Path:
    """A cached local copy of a remote file.

    Args:
        location: of the file.
        folder: local cache folder.
        storage: object storage settings.

    Raises:
        InputError: there is no such file.
    """
    files = [file for file in find_files(location, storage) if file.location == location]
    version = hashlib.sha256(f"{location} {files[0].version if files else ''}".encode()).hexdigest()[:16]
    copy = folder / version / split(location)[1]
    if not copy.is_file():
        fetch(location, copy, storage)
    return copy


def send(source: Path, location: str, storage: ObjectStorageSettings) -> None:
    """Copy a local file, or all files of a folder, to a remote location."""
    folder, name = split(location)
    store = open_store(folder, storage)
    if not source.is_dir():
        store.upload(source, name)
        return
    for key in Folder(str(source)).sizes():
        store.upload(source / key, PurePosixPath(name, key).as_posix())
