"""Opens the text of a file of a dump as a stream: local or in a bucket, plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.archives.limits import Meter, UnpackLimits
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


def open_stored(path: str, storage: ObjectStorageSettings, start: int = 0) -> IO[bytes]:
    """Open a file as it is stored, at a byte."""
    if is_remote(path):
        from cqa_spark.object_store.object_stream import open_object  # slow import of boto3, not needed for local files

        return open_object(path, storage, start)
    file = open(path, "rb")  # noqa: SIM115  the caller closes it
    file.seek(start)
    return file


@contextmanager
def open_text(file: DumpFile, access: Access, size: int, start: int = 0) -> Iterator[IO[bytes] | Unpacked]:
    """Open the text of a file.

    Args:
        file: the file.
        access: how to read it.
        size: its stored bytes.
        start: the first byte to read; 0 for a compressed file.

    Raises:
        InputError: it cannot be read, it is damaged or truncated, or it unpacks to more than a limit allows.
    """
    try:
        with open_stored(file.path, access.storage, start) as stored:
            yield Unpacked(file, stored, Meter(Path(file.path), size, access.limits)) if file.packing else stored
    except (EOFError, zlib.error, OSError) as error:
        if file.packing:
            raise InputError(
                f"damaged or truncated compressed files: {file.path}: {error}",
                "test them with gzip -t or bzip2 -t, and download damaged ones again",
            ) from error
        raise InputError(f"cannot read {file.path}: {error}", "check the file and its storage") from error


PIECE = 1 << 20
"""Bytes that are unpacked at a time."""


class Unpacked:
    """The text of a compressed file."""

    def __init__(self, file: DumpFile, stored: IO[bytes], meter: Meter) -> None:
        self._file: IO[bytes] = (gzip.open if file.packing == ".gz" else bz2.open)(stored)  # type: ignore[assignment]
        self._name, self._meter = Path(file.path).stem, meter

    def read(self, size: int, /) -> bytes:
        """The next bytes; fewer than ``size`` only at the end."""
        pieces, missing = [], size
        while missing and (piece := self._file.read(min(missing, PIECE))):
            self._meter.add(self._name, len(piece))
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)
