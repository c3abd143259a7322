"""What can be done with small objects, wherever they lie, and the errors that a writer has to expect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from cqa_spark.errors import ConfigError, CqaError


@dataclass(frozen=True)
class Stored:
    """An object as it was read.

    Attributes:
        data: its bytes.
        version: stands for these bytes at this key; ``replace`` compares it.
    """

    data: bytes
    version: str


class AlreadyThere(CqaError):
    """Somebody else has made the object; it stays as it is."""


class Changed(CqaError):
    """The object is no longer the one that was read; it stays as it is."""


class ObjectStore(Protocol):
    """Objects by key below one root. A reader sees all bytes of an object or none, at every moment.

    ``create`` and ``replace`` succeed for one writer alone. Where an answer got lost, what is stored is read back and
    compared with what was to be written; the bytes therefore have to hold something that no other writer writes, such
    as an owner's token.

    Every operation raises ``EnvironmentProblem`` where the storage cannot be reached or does not let us.
    """

    root: str
    """Where the store lies, as people write it."""

    def read(self, key: str) -> Stored | None:
        """The object, or None where there is none."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Write an object, whatever lies there."""
        ...

    def create(self, key: str, data: bytes) -> str:
        """Write an object that must not exist yet; give its version.

        Raises:
            AlreadyThere: there is one.
        """
        ...

    def replace(self, key: str, data: bytes, version: str) -> str:
        """Write over the object that has this version; give the new version.

        Raises:
            Changed: there is none, or another one.
        """
        ...

    def delete(self, key: str) -> None:
        """Remove an object; none is fine too."""
        ...

    def keys(self, prefix: str = "", after: str = "") -> Iterator[str]:
        """The keys that start with a prefix and come after a key, in order of their characters."""
        ...

    def folders(self, within: str = "") -> list[str]:
        """The names of the folders directly within a folder, in order; none where it is not there.

        Args:
            within: the folder; the store's root where it is empty.
        """
        ...


def check_key(key: str) -> None:
    """Refuse keys that would mean different things in a folder and in a bucket.

    Raises:
        ConfigError: parts between slashes are empty, ``.`` or ``..``, or hide (start with a dot).
    """
    if not all(part and not part.startswith(".") for part in key.split("/")) or "\0" in key:
        raise ConfigError(f"{key!r} names no object", "give names between single slashes, none starting with a dot")


def already_there(root: str, key: str) -> AlreadyThere:
    """The error of a ``create`` that came second."""
    return AlreadyThere(f"{root}/{key} is there already", "read it to see who was first; nothing was written")


def changed(root: str, key: str) -> Changed:
    """The error of a ``replace`` that was not about the newest version."""
    return Changed(f"{root}/{key} was changed by somebody else", "read it again; nothing was written")
