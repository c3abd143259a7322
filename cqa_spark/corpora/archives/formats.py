"""The formats of archives, by file name, and what each must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from cqa_spark.corpora.archives.members import Member
from cqa_spark.errors import CqaError, InputError


class Sink(Protocol):
    """Where the bytes of one table go."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take the next bytes."""

    def close(self) -> None:
        """Take note that the table is complete."""


OpenTable = Callable[[Member], Sink]


class ArchiveFormat(Protocol):
    """A kind of archive, read as a stream: memory does not grow with a member's size."""

    def members(self, archive: Path) -> list[Member]:
        """List what the header tells, without unpacking.

        Raises:
            InputError: this is no such archive, or it is encrypted, cut short or damaged.
        """

    def extract(self, archive: Path, members: Sequence[Member], open_table: OpenTable) -> None:
        """Unpack some members.

        Args:
            archive: the archive.
            members: some of those that ``members`` lists.
            open_table: gives the place for a member; the place is closed only if the member is whole.

        Raises:
            InputError: the archive is cut short or damaged.
        """


def format_of(archive: Path, formats: Mapping[str, ArchiveFormat]) -> ArchiveFormat:
    """Tell an archive's format by its name.

    Args:
        archive: the archive.
        formats: by suffix, lower case.

    Raises:
        InputError: no format has the suffix.
    """
    for suffix, found in formats.items():
        if archive.name.lower().endswith(suffix):
            return found
    known = ", ".join(f"*{suffix}" for suffix in formats)
    raise InputError(f"{archive} is no archive that can be unpacked", f"known are {known}; Spark reads *.gz and *.bz2")


@contextmanager
def refusing_damage(archive: Path) -> Iterator[None]:
    """Turn whatever a decoder raises over bad bytes into an error that names the archive.

    Decoders meet bad bytes with errors of many kinds, index and type errors among them, so all are taken; what this
    package raises by itself passes.

    Raises:
        InputError: the block failed.
    """
    try:
        yield
    except CqaError:
        raise
    except Exception as error:
        raise InputError(
            f"{archive} is cut short or damaged: {type(error).__name__} {error}".rstrip(),
            "get the archive from its publisher again, and compare its size",
        ) from error
