"""Selects the members of an archive that are tables, and refuses unsafe names and types."""

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


@dataclass(frozen=True)
class Tables:
    """The selected and the skipped members of an archive.

    Attributes:
        taken: members that are tables; each is staged under the last part of its path.
        skipped: names of the other members, except folders.
    """

    taken: tuple[Member, ...]
    skipped: tuple[str, ...]

    @property
    def size(self) -> int:
        """Lower bound of the tables' size, in bytes."""
        return sum(member.size for member in self.taken)


def choose_tables(archive: Path, members: Sequence[Member]) -> Tables:
    """Select the members that are named like tables.

    Args:
        archive: the archive, for messages.
        members: all members.

    Raises:
        InputError: a member is not a plain file or folder or points out of the archive, two tables have the same name,
            or the archive contains no table.
    """
    for member in members:
        _refuse_unsafe(archive, member)
    files = [member for member in members if member.kind is MemberKind.FILE]
    taken = tuple(member for member in files if member.is_table)
    if not taken:
        raise InputError(f"{archive} contains no table (*.xml)", "name the archive of a site's dump")
    _refuse_same_names(archive, taken)
    return Tables(taken, tuple(member.name for member in files if not member.is_table))


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


def _refuse_same_names(archive: Path, taken: Sequence[Member]) -> None:
    first: dict[str, Member] = {}
    for member in taken:
        other = first.setdefault(member.path.name.casefold(), member)
        if other is not member:
            raise InputError(
                f"{archive}: the members {other.name} and {member.name} are tables of the same name",
                "pack one site per archive",
            )
