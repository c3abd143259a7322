"""Single files by location, local or ``s3a://…`` alike, for code that reads or writes one file without a store."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.opening import open_store, split


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
    """The file itself, or a local copy of a remote one while the block runs.

    Raises:
        InputError: there is no such remote file.
    """
    if not is_remote(location):
        yield Path(location)
        return
    from cqa_spark.object_store import remote_files  # slow import of boto3, not needed for local files

    with tempfile.TemporaryDirectory(prefix="cqa-copy-") as folder:
        copy = Path(folder, split(location)[1])
        remote_files.fetch(location, copy, storage)
        yield copy


@contextmanager
def local_target(location: str, storage: ObjectStorageSettings) -> Iterator[Path]:
    """A local path to write a file or folder to; it is uploaded to a remote location when the block succeeds."""
    if not is_remote(location):
        yield Path(location)
        return
    from cqa_spark.object_store import remote_files  # slow import of boto3, not needed for local files

    with tempfile.TemporaryDirectory(prefix="cqa-copy-") as folder:
        copy = Path(folder, split(location)[1])
        yield copy
        remote_files.send(copy, location, storage)


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
