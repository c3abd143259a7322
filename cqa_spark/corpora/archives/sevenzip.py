"""7z archives without a password, the format of published Stack Exchange dumps."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from py7zr import FileInfo, SevenZipFile
from py7zr.exceptions import Bad7zFile, CrcError, PasswordRequired, UnsupportedCompressionMethodError
from py7zr.io import Py7zIO, WriterFactory

from cqa_spark.corpora.archives.members import (
    Member,
    MemberKind,
    OpenTable,
    Sink,
    refuse_other_content,
    refusing_damage,
)
from cqa_spark.errors import InputError

LARGEST_DICTIONARY = 1 << 27
"""Bytes of a decoder's dictionary; that of 7-Zip's best compression has half of them."""

MAGIC = b"7z\xbc\xaf\x27\x1c"
# Decoders of other methods may need unbounded memory. BCJ is a filter that some packers always put before LZMA.
_LZMA, _LZMA2 = b"\x03\x01\x01", b"\x21"
STREAMED = frozenset({"BCJ", "BZip2", "COPY", "DEFLATE", "DEFLATE64", "LZMA", "LZMA2"})


def members(archive: Path) -> list[Member]:
    """List the members."""
    with _opened(archive) as opened:
        return [Member(info.filename, _kind(info), info.uncompressed) for info in opened.list()]


def extract(archive: Path, members: Sequence[Member], open_table: OpenTable) -> None:
    """Unpack some members, one after the other in one thread."""
    # py7zr checks the members' target paths, although it writes no files there.
    with _opened(archive) as opened, TemporaryDirectory() as nowhere:
        tables = _Tables(Path(nowhere), members, open_table)
        opened.extract(nowhere, [member.name for member in members], factory=tables)
        if tables.waiting:
            raise Bad7zFile(f"nothing is stored for {', '.join(tables.waiting)}")


@contextmanager
def _opened(archive: Path) -> Iterator[SevenZipFile]:
    # Given a file rather than a path, py7zr starts no threads of its own.
    with refusing_damage(archive), archive.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            refuse_other_content(archive)
            raise InputError(f"{archive} is not a 7z archive", "check the content of the file")
        file.seek(0)
        try:
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
        except PasswordRequired as error:
            raise InputError(
                f"{archive} is encrypted", "unpack it manually and give the folder of its tables"
            ) from error
        except CrcError as error:
            raise Bad7zFile(f"{error.filename or 'a member'} differs from its checksum") from error
        except UnsupportedCompressionMethodError as error:
            raise InputError(
                f"{archive} is compressed by a method that cannot be streamed: {error.args[1]}",
                f"pack it again with one of {', '.join(sorted(STREAMED))}",
            ) from error


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


def _kind(info: FileInfo) -> MemberKind:
    if info.is_directory:
        return MemberKind.FOLDER
    return MemberKind.FILE if info.is_file else MemberKind.OTHER


class _Tables(WriterFactory):
    """Gives py7zr the sinks of members, by path below a folder."""

    def __init__(self, folder: Path, members: Sequence[Member], open_table: OpenTable) -> None:
        self.waiting = {str(PurePosixPath(member.name)): member for member in members}
        self._folder = folder
        self._open_table = open_table

    def create(self, filename: str) -> Py7zIO:
        """Start the member of that path."""
        return _Table(self._open_table(self.waiting.pop(str(PurePosixPath(filename).relative_to(self._folder)))))


class _Table(Py7zIO):
    """Forwards a member's bytes, which py7zr compares with the size and checksum in the header."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._size = 0

    def write(self, s: bytes | bytearray) -> int:
        """Forward the next bytes."""
        self._size += len(s)
        self._sink.write(s)
        return len(s)

    def close(self) -> None:
        """End the member, which is completely unpacked."""
        self._sink.close()

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
