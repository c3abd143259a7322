"""The members of an archive, those that are tables, and the interface of archive formats."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Protocol

from cqa_spark.corpora.foreign_content import HEAD_BYTES, refuse_foreign_content
from cqa_spark.errors import CqaError, InputError

# Spark skips names that start with a dot or underscore, and reads brackets, stars and the like as patterns.
TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9 ._()-]*\.xml", re.ASCII | re.IGNORECASE)
DRIVE = re.compile(r"[a-z]:", re.ASCII | re.IGNORECASE)


class MemberKind(Enum):
    """The type of a member."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "link or device"


@dataclass(frozen=True)
class Member:
    """One entry in the header of an archive.

    Attributes:
        name: path inside the archive.
        kind: its type.
        size: unpacked bytes; 0 if the format does not record it.
    """

    name: str
    kind: MemberKind
    size: int

    @property
    def path(self) -> PurePosixPath:
        """The name as a path; archives packed on Windows may contain backslashes."""
        return PurePosixPath(self.name.replace("\\", "/"))

    @property
    def is_table(self) -> bool:
        """Whether it is a file that is named like a table."""
        return self.kind is MemberKind.FILE and TABLE_NAME.fullmatch(self.path.name) is not None


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


def choose_tables(archive: Path, members: Sequence[Member]) -> list[Member]:
    """The members that are named like tables; each is stored under the last part of its path.

    Args:
        archive: the archive, for messages.
        members: all members.

    Raises:
        InputError: a member is not a plain file or folder or points out of the archive, two tables have the same name,
            or the archive contains no table.
    """
    for member in members:
        _refuse_unsafe(archive, member)
    tables = [member for member in members if member.is_table]
    if not tables:
        raise InputError(f"{archive} contains no table (*.xml)", "name the archive of a site's dump")
    first: dict[str, Member] = {}
    for member in tables:
        other = first.setdefault(member.path.name.casefold(), member)
        if other is not member:
            raise InputError(
                f"{archive}: the members {other.name} and {member.name} are tables of the same name",
                "pack one site per archive",
            )
    return tables


def _refuse_unsafe(archive: Path, member: Member) -> None:
    if member.kind is MemberKind.OTHER:
        problem = "is a link or a device"
    elif member.path.is_absolute() or DRIVE.match(member.name):
        problem = "has an absolute path"
    elif ".." in member.path.parts:
        problem = "points out of its folder"
    else:
        return
    raise InputError(f"{archive}: the member {member.name} {problem}", "get the archive from its publisher again")


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
