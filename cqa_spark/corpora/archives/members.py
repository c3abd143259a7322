"""Which members of an archive are tables of a dump, and which names and kinds are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath

from cqa_spark.errors import InputError

# Spark skips names that start with a dot or underscore, and reads brackets, stars and the like as patterns.
TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9 ._()-]*\.xml", re.ASCII | re.IGNORECASE)
DRIVE = re.compile(r"[a-z]:", re.ASCII | re.IGNORECASE)


class Kind(Enum):
    """What a member is."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "link or device"


@dataclass(frozen=True)
class Member:
    """One entry of an archive, as its header tells.

    Attributes:
        name: path inside the archive.
        kind: what it is.
        size: unpacked bytes; for formats that need not tell, 0 where they do not.
    """

    name: str
    kind: Kind
    size: int

    @property
    def path(self) -> PurePosixPath:
        """The name as a path; archives that were packed on Windows may hold backslashes."""
        return PurePosixPath(self.name.replace("\\", "/"))

    @property
    def is_table(self) -> bool:
        """Whether it is a file that is named like a table."""
        return self.kind is Kind.FILE and TABLE_NAME.fullmatch(self.path.name) is not None


@dataclass(frozen=True)
class Tables:
    """What is taken from an archive, and what is not.

    Attributes:
        taken: members that are tables; each is staged under the last part of its path.
        skipped: names of the other members, folders left out.
    """

    taken: tuple[Member, ...]
    skipped: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes that the tables need at least."""
        return sum(member.size for member in self.taken)


def choose_tables(archive: Path, members: Sequence[Member]) -> Tables:
    """Take the members that are named like tables.

    Args:
        archive: the archive, for messages.
        members: all that it holds.

    Raises:
        InputError: a member is no plain file or folder or points out of the archive, two tables would have the same
            name, or there is no table.
    """
    for member in members:
        _refuse_unsafe(archive, member)
    files = [member for member in members if member.kind is Kind.FILE]
    taken = tuple(member for member in files if member.is_table)
    if not taken:
        raise InputError(f"{archive} holds no table (*.xml)", "name the archive of a site's dump")
    _refuse_same_names(archive, taken)
    return Tables(taken, tuple(member.name for member in files if not member.is_table))


def _refuse_unsafe(archive: Path, member: Member) -> None:
    if member.kind is Kind.OTHER:
        problem = "is a link or a device"
    elif member.path.is_absolute() or DRIVE.match(member.name):
        problem = "has an absolute path"
    elif ".." in member.path.parts:
        problem = "points out of its folder"
    else:
        return
    raise InputError(f"{archive}: the member {member.name} {problem}", "get the archive from its publisher again")


def _refuse_same_names(archive: Path, taken: Sequence[Member]) -> None:
    first: dict[str, Member] = {}
    for member in taken:
        other = first.setdefault(member.path.name.casefold(), member)
        if other is not member:
            raise InputError(
                f"{archive}: the members {other.name} and {member.name} are tables of the same name",
                "pack one site per archive",
            )
