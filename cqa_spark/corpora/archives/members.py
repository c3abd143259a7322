"""The members of an archive that are tables; unsafe members are refused."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from cqa_spark.errors import InputError

# Spark skips names that start with a dot or underscore, and reads brackets, stars and the like as patterns.
TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9 ._()-]*\.xml", re.ASCII | re.IGNORECASE)
DRIVE = re.compile(r"[a-z]:", re.ASCII | re.IGNORECASE)
AGAIN = "get the archive from its publisher again"


class Member(Protocol):
    """A file, folder or anything else in an archive."""

    @property
    def filename(self) -> str:
        """Its path in the archive."""

    @property
    def is_directory(self) -> bool:
        """Whether it is a folder."""

    @property
    def is_file(self) -> bool:
        """Whether it is a plain file."""


def table_names(archive: Path, members: Sequence[Member]) -> dict[str, str]:
    """The members that are named like tables, with the names of their tables, the last parts of their paths.

    Args:
        archive: the archive, for messages.
        members: all members.

    Raises:
        InputError: a member is not a plain file or folder or points out of the archive, two tables have the same name,
            or the archive contains no table.
    """
    names: dict[str, str] = {}
    first: dict[str, str] = {}
    for member in members:
        # Archives packed on Windows may contain backslashes.
        path = PurePosixPath(member.filename.replace("\\", "/"))
        _refuse_unsafe(archive, member, path)
        if member.is_file and TABLE_NAME.fullmatch(path.name):
            if other := first.get(path.name.casefold()):
                raise InputError(
                    f"{archive}: the members {other} and {member.filename} are tables of the same name",
                    "pack one site per archive",
                )
            first[path.name.casefold()] = member.filename
            names[member.filename] = path.name
    if not names:
        raise InputError(f"{archive} contains no table (*.xml)", "name the archive of a site's dump")
    return names


def _refuse_unsafe(archive: Path, member: Member, path: PurePosixPath) -> None:
    if not (member.is_directory or member.is_file):
        problem = "is a link or a device"
    elif path.is_absolute() or DRIVE.match(member.filename):
        problem = "has an absolute path"
    elif ".." in path.parts:
        problem = "points out of its folder"
    else:
        return
    raise InputError(f"{archive}: the member {member.filename} {problem}", AGAIN)
