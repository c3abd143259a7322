"""Finds files in object storage by location, and copies them to and from this machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.object_store.opening import open_store, split

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
    fixed = location[: min([location.find(file) for file in WILDCARDS if file in location] or [len(location)])]
    folder, start = split(fixed.rstrip("/")) if fixed == location else (fixed.rpartition("/")[0], "")
    files = files_below(folder, storage, start)
    named = location.rstrip("/")
    if fixed != location:
        return [file for file in files if _fits(file.location, named)]
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
    files = [file for file in sorted(source.rglob("*")) if file.is_file()] if source.is_dir() else [source]
    for file in files:
        store.upload(file, PurePosixPath(name, file.relative_to(source)).as_posix())


def _fits(location: str, pattern: str) -> bool:
    path, wanted = PurePosixPath(location), PurePosixPath(pattern)
    return len(path.parts) == len(wanted.parts) and path.match(pattern)
