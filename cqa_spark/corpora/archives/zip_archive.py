"""Extracts the tables of zip archives as a stream."""

import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from cqa_spark.corpora.archives.limits import Meter, UnpackLimits
from cqa_spark.corpora.archives.members import AGAIN, table_names
from cqa_spark.corpora.archives.sevenzip import Target
from cqa_spark.corpora.foreign_content import HEAD_BYTES, refuse_foreign_content
from cqa_spark.errors import CqaError, InputError

PIECE = 1 << 20
"""Bytes that are unpacked at a time."""

_ENCRYPTED = 1


class _Member(NamedTuple):
    filename: str
    is_directory: bool
    is_file: bool
    uncompressed: int


def is_zip(archive: Path) -> bool:
    """Whether an archive is named like a zip archive."""
    return archive.suffix.lower() == ".zip"


def extract_zip(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of an archive; same arguments, result and errors as ``sevenzip.extract_tables``."""
    meter = Meter(archive, archive.stat().st_size, limits)
    sizes = {}
    with _opened(archive) as opened:
        for member, name in table_names(archive, _members(opened)).items():
            target, sizes[name] = open_target(name), 0
            try:
                with opened.open(member) as table:
                    # The last read compares the checksum.
                    while piece := table.read(PIECE):
                        meter.add(member, len(piece))
                        target.write(piece)
                        sizes[name] += len(piece)
                target.close()
            finally:
                target.abort()
    return sizes


def zip_size(archive: Path, limits: UnpackLimits) -> int:
    """Bytes of the tables of an archive, by its directory; errors as for ``sevenzip.unpacked_size``."""
    meter = Meter(archive, archive.stat().st_size, limits)
    with _opened(archive) as opened:
        members = _members(opened)
    names = table_names(archive, members)
    for member in members:
        meter.add(member.filename, member.uncompressed)
    return sum(member.uncompressed for member in members if member.filename in names)


@contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive; errors of decoders while it is open name it.

    Raises:
        InputError: the archive is damaged or encrypted, or is none.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            if any(member.flag_bits & _ENCRYPTED for member in opened.infolist()):
                raise InputError(f"{archive} is encrypted", "unpack it manually and give the folder of its tables")
            yield opened
    except CqaError:
        raise
    except NotImplementedError as error:
        raise InputError(
            f"{archive} is compressed by a method that is not read: {error}", "unpack it, or pack it again by deflate"
        ) from error
    except Exception as error:
        with archive.open("rb") as file:
            refuse_foreign_content(file.read(HEAD_BYTES), str(archive))
        reason = f"{type(error).__name__} {error}".rstrip()
        raise InputError(f"{archive} is truncated or damaged: {reason}", f"{AGAIN}, and compare its size") from error


def _members(opened: zipfile.ZipFile) -> list[_Member]:
    return [
        _Member(member.filename, member.is_dir(), not member.is_dir() and _is_plain(member), member.file_size)
        for member in opened.infolist()
    ]


def _is_plain(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a plain file; archives packed on Windows have no file modes."""
    mode = member.external_attr >> 16
    return stat.S_IFMT(mode) in (0, stat.S_IFREG)
