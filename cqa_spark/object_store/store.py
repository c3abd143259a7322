"""The interface of stores of objects, and of kinds of storage, which plug-ins register by the scheme of addresses.

Folders, S3, HDFS, Google Cloud Storage and Azure are the stores of this package. All have the same conditional writes,
with the same errors; `tests/store_contract.py` states them.

Whatever opens an address needs ``ObjectStorageSettings``. Where they are pickled, which is how they reach a task, the
driver's credentials travel with them, so that no task can be without.
"""

import copyreg
import io
import os
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple, Protocol
from uuid import uuid4

from pydantic import ValidationError

from cqa_spark.errors import ConfigError, ContractError, CqaError, EnvironmentProblem, InputError
from cqa_spark.plugins import PluginKind
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote

PIECE = 8 << 20
"""Bytes that are read at a time from a large object."""


@dataclass(frozen=True)
class Stored:
    """An object that was read.

    Attributes:
        data: its bytes.
        version: identifies these bytes at this key; ``replace`` compares it.
    """

    data: bytes
    version: str


class ListedObject(NamedTuple):
    """An object in a listing.

    Attributes:
        key: its key.
        size: bytes.
        version: identifies its content.
    """

    key: str
    size: int
    version: str


class Changed(CqaError):
    """The object has changed since it was read; nothing was written."""


class AlreadyThere(Changed):
    """Another writer has created the object; nothing was written."""


class ObjectWriter(Protocol):
    """Writes an object from its start to its end; it becomes visible when it is complete."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append bytes."""
        ...

    def close(self) -> None:
        """Complete the object."""
        ...

    def abort(self) -> None:
        """Leave nothing of an incomplete object; nothing happens to a complete one."""
        ...


class ObjectStore(Protocol):
    """Objects by key below one root. Writes are atomic: readers see all bytes of an object or none.

    ``create`` and ``replace`` succeed for only one writer. If a response is lost, the stored object is read back and
    compared with the bytes to write, which must therefore be unique to the writer, for example by an owner's token.

    Every operation raises ``EnvironmentProblem`` if the storage is unreachable or denies access: a listing has all
    objects that were written before it, or fails. ``listed``, ``open`` and ``upload`` hold an object in memory here,
    and ``writer`` a file on this machine; stores of large objects override them.
    """

    root: str
    """The location of the store."""

    def read(self, key: str) -> Stored | None:
        """The object; None if it does not exist."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Write an object, overwriting any existing one."""
        ...

    def create(self, key: str, data: bytes) -> str:
        """Write an object that must not exist yet; return its version.

        Raises:
            AlreadyThere: the object exists.
        """
        ...

    def replace(self, key: str, data: bytes, version: str) -> str:
        """Overwrite the object if it has this version; return the new version.

        Raises:
            Changed: the object does not exist, or has another version.
        """
        ...

    def create_or_replace(self, key: str, data: bytes, version: str | None) -> str:
        """Replace the version that was read, or create the object if it is None; return the new version.

        Raises:
            Changed: another writer was first.
        """
        return self.create(key, data) if version is None else self.replace(key, data, version)

    def delete(self, key: str) -> None:
        """Remove an object, if it exists."""
        ...

    def keys(self, prefix: str = "", after: str = "") -> Iterator[str]:
        """The keys that start with a prefix and come after a key, in order of their characters."""
        ...

    def listed(self, prefix: str = "", after: str = "") -> Iterator[ListedObject]:
        """The entries of the objects with these keys, in the same order."""
        for key in self.keys(prefix, after):
            if (stored := self.read(key)) is not None:
                yield ListedObject(key, len(stored.data), stored.version)

    def open(self, key: str, start: int = 0) -> IO[bytes]:
        """Open an object for reading, at a byte.

        Raises:
            InputError: there is no such object, or it changed; raised here or while it is read.
        """
        stored = self.read(key)
        if stored is None:
            raise no_object(f"{self.root}/{key}")
        stream = io.BytesIO(stored.data)
        stream.seek(start)
        return stream

    def download(self, key: str, target: Path) -> None:
        """Copy an object to a file atomically; its folder is created if it is missing.

        Raises:
            InputError: there is no such object, or it changed in the meantime.
            EnvironmentProblem: the file cannot be written.
        """
        unfinished = target.with_name(f".{target.name}.{uuid4().hex}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with self.open(key) as source, unfinished.open("wb") as copy:
                shutil.copyfileobj(source, copy, PIECE)
            unfinished.replace(target)
        except OSError as error:
            raise EnvironmentProblem(
                f"{self.root}/{key} cannot be copied to {target}: {error.strerror}",
                "free disk space, or name another folder",
            ) from error
        finally:
            unfinished.unlink(missing_ok=True)

    def upload(self, source: Path, key: str) -> None:
        """Copy a file to an object atomically."""
        self.put(key, source.read_bytes())

    def writer(self, key: str) -> ObjectWriter:
        """Open an object that is written sequentially."""
        return _FileWriter(self, key)

    def sizes(self, prefix: str = "") -> dict[str, int]:
        """The sizes, in bytes, of the objects whose keys start with a prefix, by key."""
        ...

    def delete_all(self, keys: Iterable[str]) -> None:
        """Remove objects, as far as they exist, and the folders that this leaves empty."""
        ...

    def delete_unfinished(self) -> dict[str, int]:
        """Delete what killed processes left of objects, and no listing shows; return its bytes, by path."""
        return {}

    def folders(self, within: str = "") -> list[str]:
        """The names of the folders directly within a folder, in order; none if it does not exist.

        Args:
            within: the folder; empty for the store's root.
        """
        ...


class _FileWriter:
    """Collects an object in a temporary file of this machine."""

    def __init__(self, store: ObjectStore, key: str) -> None:
        self._store, self._key = store, key
        self._file = tempfile.NamedTemporaryFile(prefix="cqa-object-")  # noqa: SIM115

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._file.write(data)

    def close(self) -> None:
        self._file.flush()
        self._store.upload(Path(self._file.name), self._key)
        self.abort()

    def abort(self) -> None:
        self._file.close()


def check_key(key: str) -> None:
    """Reject keys that would have different meanings in a folder and in a bucket.

    Raises:
        ConfigError: parts between slashes are empty, ``.`` or ``..``, or hide (start with a dot).
    """
    if not all(part and not part.startswith(".") for part in key.split("/")) or "\0" in key:
        raise ConfigError(
            f"{key!r} is not a valid object key", "give names between single slashes, none starting with a dot"
        )


def already_there(root: str, key: str) -> AlreadyThere:
    """The error of a ``create`` of an existing object."""
    return AlreadyThere(f"{root}/{key} already exists", "read it to see which writer was first; nothing was written")


def changed(root: str, key: str) -> Changed:
    """The error of a ``replace`` of an outdated version."""
    return Changed(f"{root}/{key} was changed by another writer", "read it again; nothing was written")


def no_object(location: str) -> InputError:
    """The error of reading an object that does not exist."""
    return InputError(f"there is no {location}", "check the address")


def first_mistake(error: ValidationError) -> str:
    """Location and description of the first validation error of a JSON object."""
    mistake = error.errors()[0]
    return f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}" if mistake["loc"] else mistake["msg"]


_RESTORE = "restore the file from a backup; nothing was changed"


def damaged(root: str, key: str, reason: object, remedy: str = _RESTORE) -> ContractError:
    """The error of an object that was read and is not what it should be.

    Args:
        root: of the store.
        key: of the object.
        reason: what is wrong with it.
        remedy: what to do.
    """
    return ContractError(f"{root}/{key} is damaged: {reason}", remedy)


def missing(root: str, key: str, reason: str, remedy: str = _RESTORE) -> ContractError:
    """The error of an object that must be there; ``reason`` says why."""
    return ContractError(f"{root}/{key} is missing: {reason}", remedy)


class ObjectStorage(ABC):
    """How this package, Spark and ``deltalake`` reach the objects at addresses of a scheme.

    Attributes:
        about: description, one sentence.
        credentials: names of the environment variables of the driver that tasks need, too.
    """

    about: ClassVar[str]
    credentials: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def open(self, location: str, settings: ObjectStorageSettings) -> ObjectStore:
        """Open the store at a location, without requests to it.

        Args:
            location: an address of the scheme.
            settings: object storage settings.

        Raises:
            ConfigError: the location is incomplete.
        """

    def forget_clients(self) -> None:
        """Forget what was made with the credentials of the environment, which have changed."""
        return None

    def hadoop_options(self, settings: ObjectStorageSettings) -> Mapping[str, str]:
        """Hadoop's options, with which Spark reads these addresses; without credentials."""
        return {}

    def delta_address(self, location: str) -> str:
        """The address, or path, by which ``deltalake`` and MLflow name a location."""
        return location

    def delta_options(self, settings: ObjectStorageSettings) -> dict[str, str]:
        """The options of ``deltalake``, with credentials."""
        return {}


OBJECT_STORES: PluginKind[type[ObjectStorage]] = PluginKind("object_stores", "object store")
"""By scheme."""


def storage_of(location: str) -> ObjectStorage:
    """The storage at an address.

    Raises:
        ConfigError: no storage is registered for its scheme.
    """
    scheme = location.partition("://")[0]
    if scheme not in OBJECT_STORES.names():
        raise ConfigError(
            f"{scheme}:// is not supported storage",
            "give a local path or s3a://BUCKET/PATH; `cqa object-stores list` shows what is installed",
        )
    return OBJECT_STORES.load(scheme)()


def require_storage(location: str) -> None:
    """Refuse addresses of a scheme without a storage; errors as for ``storage_of``."""
    if is_remote(location):
        storage_of(location)


def delta_address(location: str) -> str:
    """The address, or path, by which ``deltalake`` and MLflow name a location."""
    return storage_of(location).delta_address(location) if is_remote(location) else location


def delta_options(location: str, settings: ObjectStorageSettings) -> dict[str, str]:
    """The options of ``deltalake`` for a location; none for a local one."""
    return storage_of(location).delta_options(settings) if is_remote(location) else {}


def _pickled(settings: ObjectStorageSettings) -> tuple[Any, ...]:
    names = (name for storage in OBJECT_STORES.load_all().values() for name in storage.credentials)
    variables = {name: os.environ[name] for name in names if name in os.environ}
    return _unpickled, (dict(settings), variables)


def _unpickled(values: Mapping[str, Any], variables: Mapping[str, str]) -> ObjectStorageSettings:
    """The settings, in a process that now has the credentials of the one that pickled them."""
    if any(os.environ.get(name) != value for name, value in variables.items()):
        os.environ.update(variables)
        for storage in OBJECT_STORES.load_all().values():
            storage().forget_clients()
    return ObjectStorageSettings(**values)


copyreg.pickle(ObjectStorageSettings, _pickled)
