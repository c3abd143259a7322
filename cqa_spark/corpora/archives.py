"""Extracts the tables of 7z and zip archives as streams; unsafe archives are refused.

Published Stack Exchange dumps are 7z archives. They are read in bounded memory: one table after the other, by decoders
whose memory the header limits. Members that could leave their folder, and archives that unpack to more than the limits
allow, are refused.
"""

import io
import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol

from py7zr import SevenZipFile
from py7zr.exceptions import Bad7zFile, CrcError, PasswordRequired, UnsupportedCompressionMethodError
from py7zr.io import Py7zIO, WriterFactory

from cqa_spark.corpora.content_check import HEAD_BYTES, refuse_foreign_content
from cqa_spark.corpora.inputs import Meter, UnpackLimits
from cqa_spark.errors import CqaError, InputError

# Spark skips names that start with a dot or underscore, and reads brackets, stars and the like as patterns.
TABLE_NAME = re.compile(r"[a-z0-9][a-z0-9 ._()-]*\.xml", re.ASCII | re.IGNORECASE)
DRIVE = re.compile(r"[a-z]:", re.ASCII | re.IGNORECASE)
AGAIN = "get the archive from its publisher again"

LARGEST_DICTIONARY = 1 << 27
"""Bytes of a decoder's dictionary; that of 7-Zip's best compression has half of them."""

STREAMED = frozenset({"BCJ", "BZip2", "COPY", "DEFLATE", "DEFLATE64", "LZMA", "LZMA2"})
"""Methods that are decoded in bounded memory. BCJ is a filter that some packers always put before LZMA."""

MAGIC = b"7z\xbc\xaf\x27\x1c"
_LZMA, _LZMA2 = b"\x03\x01\x01", b"\x21"

PIECE = 1 << 20
"""Bytes of a zip archive that are unpacked at a time."""

_ENCRYPTED = 1
"""The bit of a zip archive's member that is encrypted."""


class Target(Protocol):
    """A file or object that is written sequentially."""

    def write(self, data: bytes | bytearray, /) -> None:
        """Write the next bytes."""

    def close(self) -> None:
        """Complete it."""

    def abort(self) -> None:
        """Give up, if it is not complete."""


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


def is_zip(archive: Path) -> bool:
    """Whether an archive is named like a zip archive."""
    return archive.suffix.lower() == ".zip"


def extract_tables(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of an archive, one after the other in one thread; memory does not grow with them.

    Args:
        archive: a local file.
        limits: limits on the unpacked size.
        open_target: opens the target of the table of a name.

    Returns:
        The size of each table, by name.

    Raises:
        InputError: the archive is unsafe, damaged, encrypted or beyond the limits, or has no table.
    """
    # py7zr checks the members' target paths, although it writes no files there.
    with opened_archive(archive) as opened, TemporaryDirectory() as nowhere, ExitStack() as targets:
        names = table_names(archive, opened.list())

        def open_and_abort(name: str) -> Target:
            target = open_target(name)
            targets.callback(target.abort)
            return target

        tables = _Tables(Path(nowhere), names, open_and_abort, Meter(archive, archive.stat().st_size, limits))
        opened.extract(nowhere, list(names), factory=tables)
        if missing := names.keys() - tables.opened.keys():
            raise Bad7zFile(f"nothing is stored for {', '.join(sorted(missing))}")
        return {names[member]: table.size() for member, table in tables.opened.items()}


def unpacked_size(archive: Path, limits: UnpackLimits) -> int:
    """Bytes of the tables of an archive, by its header.

    Raises:
        InputError: the archive is unsafe, damaged, encrypted or beyond the limits, as far as its header shows.
    """
    with opened_archive(archive) as opened:
        members = opened.list()
    meter = Meter(archive, archive.stat().st_size, limits)
    for member in members:
        meter.add(member.filename, member.uncompressed)
    names = table_names(archive, members)
    return sum(member.uncompressed for member in members if member.filename in names)


class _Tables(WriterFactory):
    """Gives py7zr the targets of members, by path below a folder.

    Attributes:
        opened: the tables so far, by the name of the member.
    """

    def __init__(self, folder: Path, names: Mapping[str, str], open_target: Callable[[str], Target], meter: Meter):
        self.opened: dict[str, _Table] = {}
        self._members = {str(PurePosixPath(name)): name for name in names}
        self._folder, self._names, self._open_target, self._meter = folder, names, open_target, meter

    def create(self, filename: str) -> Py7zIO:
        """Start the member of that path."""
        member = self._members.pop(str(PurePosixPath(filename).relative_to(self._folder)))
        self.opened[member] = _Table(member, self._open_target(self._names[member]), self._meter)
        return self.opened[member]


class _Table(Py7zIO):
    """Counts a member's bytes, which py7zr compares with the size and checksum in the header, and forwards them."""

    def __init__(self, member: str, target: Target, meter: Meter) -> None:
        self._member, self._target, self._meter = member, target, meter
        self._size = 0

    def write(self, s: bytes | bytearray) -> int:
        """Forward the next bytes."""
        self._meter.add(self._member, len(s))
        self._size += len(s)
        self._target.write(s)
        return len(s)

    def close(self) -> None:
        """End the member, which is completely unpacked."""
        self._target.close()

    def size(self) -> int:
        """Bytes so far."""
        return self._size

    def seekable(self) -> bool:
        """Prevent py7zr from seeking back to the start."""
        return False

    def flush(self) -> None:
        """Nothing is held back."""

    def read(self, size: int | None = None) -> bytes:
        """Never called: nothing is read back."""
        raise io.UnsupportedOperation

    def seek(self, offset: int, whence: int = 0) -> int:
        """Never called: see ``seekable``."""
        raise io.UnsupportedOperation


@contextmanager
def opened_archive(archive: Path) -> Iterator[SevenZipFile]:
    """Open an archive; errors of decoders while it is open name it.

    Args:
        archive: a local file.

    Raises:
        InputError: the archive is damaged or encrypted, needs too much memory, or is none.
    """
    # Given a file rather than a path, py7zr starts no threads of its own.
    with _refusing_damage(archive), archive.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            _refuse_other_content(archive)
            raise InputError(f"{archive} is not a 7z archive", "check the content of the file")
        file.seek(0)
        with SevenZipFile(file) as opened:
            if opened.needs_password():
                raise PasswordRequired
            unusual = sorted(set(opened.archiveinfo().method_names) - STREAMED)
            if unusual:
                raise UnsupportedCompressionMethodError(unusual, ", ".join(unusual))
            if _largest_dictionary(opened) > LARGEST_DICTIONARY:
                raise InputError(
                    f"{archive} needs more than {LARGEST_DICTIONARY:,} bytes of memory to unpack",
                    "check where the archive comes from; if it is right, pack it again with 7z -md=128m",
                )
            yield opened


@contextmanager
def _refusing_damage(archive: Path) -> Iterator[None]:
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
    except PasswordRequired as error:
        raise InputError(f"{archive} is encrypted", "unpack it manually and give the folder of its tables") from error
    except UnsupportedCompressionMethodError as error:
        raise InputError(
            f"{archive} is compressed by a method that cannot be streamed: {error.args[1]}",
            f"pack it again with one of {', '.join(sorted(STREAMED))}",
        ) from error
    except Exception as error:
        _refuse_other_content(archive)
        reason = f"{type(error).__name__} {error}".rstrip()
        if isinstance(error, CrcError):
            reason = f"{error.filename or 'a member'} differs from its checksum"
        raise InputError(f"{archive} is truncated or damaged: {reason}", f"{AGAIN}, and compare its size") from error


def _refuse_other_content(archive: Path) -> None:
    """Refuse a file that only has the name of an archive.

    Raises:
        InputError: it is something else that is recognised, such as an HTML page.
    """
    with archive.open("rb") as file:
        refuse_foreign_content(file.read(HEAD_BYTES), str(archive))


def _largest_dictionary(archive: SevenZipFile) -> int:
    """The largest dictionary of the archive's decoders, in bytes, which they allocate, whatever the data is like.

    Source: the 7z format's properties of LZMA (a byte and 32 bits) and of LZMA2 (an exponent and one bit of mantissa).
    """
    streams = archive.header.main_streams
    coders = [coder for folder in streams.unpackinfo.folders for coder in folder.coders] if streams else []
    sizes = [0]
    for coder in coders:
        properties = coder["properties"] or b""
        if coder["method"] == _LZMA and len(properties) >= 5:
            sizes.append(int.from_bytes(properties[1:5], "little"))
        elif coder["method"] == _LZMA2 and properties:
            sizes.append((2 | properties[0] & 1) << (properties[0] // 2 + 11))
    return max(sizes)


def extract_zip(archive: Path, limits: UnpackLimits, open_target: Callable[[str], Target]) -> dict[str, int]:
    """Extract the tables of an archive; same arguments, result and errors as ``extract_tables``."""
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
    """Bytes of the tables of an archive, by its directory; errors as for ``unpacked_size``."""
    meter = Meter(archive, archive.stat().st_size, limits)
    with _opened(archive) as opened:
        members = _members(opened)
    names = table_names(archive, members)
    for member in members:
        meter.add(member.filename, member.uncompressed)
    return sum(member.uncompressed for member in members if member.filename in names)


class _Member(NamedTuple):
    filename: str
    is_directory: bool
    is_file: bool
    uncompressed: int


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
        _refuse_other_content(archive)
        reason = f"{type(error).__name__} {error}".rstrip()
        raise InputError(f"{archive} is truncated or damaged: {reason}", f"{AGAIN}, and compare its size") from error


def _members(opened: zipfile.ZipFile) -> list[_Member]:
    members = []
    for member in opened.infolist():
        # Archives packed on Windows have no file modes.
        is_plain = stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)
        is_file = not member.is_dir() and is_plain
        members.append(_Member(member.filename, member.is_dir(), is_file, member.file_size))
    return members
