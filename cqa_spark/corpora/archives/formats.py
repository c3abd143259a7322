"""Archive formats by file name, and their interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from cqa_spark.corpora.archives.members import Member
from cqa_spark.corpora.foreign_content import HEAD_BYTES, refuse_foreign_content
from cqa_spark.errors import CqaError, InputError


class Sink(Protocol):
    """A sink for the bytes of one table."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write the next bytes."""

    def close(self) -> None:
        """Mark the table as complete."""


OpenTable = Callable[[Member], Sink]


class ArchiveFormat(Protocol):
    """An archive format, read as a stream: memory use does not depend on the size of members."""

    def members(self, archive: Path) -> list[Member]:
        """List the members in the header, without unpacking.

        Raises:
            InputError: the file is not such an archive, or it is encrypted, truncated or damaged.
        """

    def extract(self, archive: Path, members: Sequence[Member], open_table: OpenTable) -> None:
        """Unpack some members.

        Args:
            archive: the archive.
            members: some of those that ``members`` lists.
            open_table: opens the sink of a member; the sink is closed only if the member is complete.

        Raises:
            InputError: the archive is truncated or damaged.
        """


def format_of(archive: Path, formats: Mapping[str, ArchiveFormat]) -> ArchiveFormat:
    """The format of an archive, by its name.

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
    raise InputError(
        f"{archive} is not a supported archive", f"supported are {known}; *.xml.gz and *.xml.bz2 need no unpacking"
    )


@contextmanager
def refusing_damage(archive: Path) -> Iterator[None]:
    """Convert the errors of decoders into an error that names the archive.

    Decoders raise errors of many types for bad bytes, even IndexError and TypeError, so all are converted, except those
    of this package.

    Raises:
        InputError: the block failed.
    """
    try:
        yield
    except CqaError:
        raise
    except Exception as error:
        refuse_other_content(archive)
        raise InputError(
            f"{archive} is truncated or damaged: {type(error).__name__} {error}".rstrip(),
            "get the archive from its publisher again, and compare its size",
        ) from error


def refuse_other_content(archive: Path) -> None:
    """Refuse a file that only has the name of an archive.

    Raises:
        InputError: it is something else that is recognised, such as an HTML page.
    """
    with archive.open("rb") as file:
        refuse_foreign_content(file.read(HEAD_BYTES), str(archive))
