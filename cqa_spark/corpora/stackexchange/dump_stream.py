"""Opens the text of a file of a dump as a stream: local or in a bucket, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import IO, Any

from backports.zstd import DecompressionParameter, ZstdError, ZstdFile

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.archives.limits import Meter, UnpackLimits
from cqa_spark.corpora.inputs import open_stored
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.errors import InputError


@dataclass(frozen=True)
class Access:
    """How tasks and the driver read files.

    Attributes:
        storage: object storage settings.
        limits: limits on the unpacked size of compressed files.
    """

    storage: ObjectStorageSettings
    limits: UnpackLimits


PIECE = 1 << 20
"""Bytes that are unpacked at a time."""


@contextmanager
def open_text(file: DumpFile, access: Access, size: int, start: int = 0) -> Iterator[Text]:
    """Open the text of a file.

    Args:
        file: the file.
        access: how to read it.
        size: its stored bytes.
        start: the first byte to read; 0 for a compressed file.

    Raises:
        InputError: it cannot be read, it is damaged or truncated, or it unpacks to more than a limit allows; raised
            here or while it is read.
    """
    with _refusing_damage(file):
        stored = open_stored(file.path, access.storage, start)
    with stored:
        yield Text(file, stored, Meter(Path(file.path), size, access.limits))


class Text:
    """The text of a file, unpacked and counted if it is compressed.

    Args:
        file: the file.
        stored: its stored bytes.
        meter: counts the unpacked bytes.
    """

    def __init__(self, file: DumpFile, stored: IO[bytes], meter: Meter) -> None:
        self._file, self._meter = file, meter
        self._text: Any = _UNPACKERS[file.packing](stored) if file.packing else stored

    def read(self, size: int, /) -> bytes:
        """The next bytes; fewer than ``size`` only at the end."""
        pieces, missing = [], size
        with _refusing_damage(self._file):
            while missing and (piece := self._text.read(min(missing, PIECE) if self._file.packing else missing)):
                if self._file.packing:
                    self._meter.add(PurePath(self._file.path).stem, len(piece))
                pieces.append(piece)
                missing -= len(piece)
        return b"".join(pieces)


_LARGEST_WINDOW = 27
"""Binary logarithm of the memory of Zstandard's decoder; a frame can require terabytes (RFC 8878, 3.1.1.1.2)."""

_LIMITS: dict[int, int] = {DecompressionParameter.window_log_max: _LARGEST_WINDOW}

_UNPACKERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".zst": partial(ZstdFile, options=_LIMITS),
}


@contextmanager
def _refusing_damage(file: DumpFile) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, ZstdError, OSError) as error:
        if "too much memory" in str(error):
            raise InputError(
                f"{file.path} needs more than {1 << _LARGEST_WINDOW:,} bytes of memory to unpack",
                f"check where it comes from; if it is right, pack it again with zstd --long={_LARGEST_WINDOW}",
            ) from error
        if file.packing:
            raise InputError(
                f"damaged or truncated compressed files: {file.path}: {error}",
                "test them with gzip -t, bzip2 -t or zstd -t, and download damaged ones again",
            ) from error
        raise InputError(f"cannot read {file.path}: {error}", "check the file and its storage") from error
