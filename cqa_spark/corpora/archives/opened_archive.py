"""Opens 7z archives that can be unpacked in bounded memory; all others are refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py7zr import SevenZipFile
from py7zr.exceptions import CrcError, PasswordRequired, UnsupportedCompressionMethodError

from cqa_spark.corpora.archives.members import AGAIN
from cqa_spark.corpora.foreign_content import HEAD_BYTES, refuse_foreign_content
from cqa_spark.errors import CqaError, InputError

LARGEST_DICTIONARY = 1 << 27
"""Bytes of a decoder's dictionary; that of 7-Zip's best compression has half of them."""

MAGIC = b"7z\xbc\xaf\x27\x1c"

# Decoders of other methods may need unbounded memory. BCJ is a filter that some packers always put before LZMA.
_LZMA, _LZMA2 = b"\x03\x01\x01", b"\x21"

STREAMED = frozenset({"BCJ", "BZip2", "COPY", "DEFLATE", "DEFLATE64", "LZMA", "LZMA2"})


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
