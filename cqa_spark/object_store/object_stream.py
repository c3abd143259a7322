"""Reads an object as a stream, from any of its bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import IO, TypeVar

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import InputError
from cqa_spark.object_store.bucket import Bucket
from cqa_spark.object_store.opening import open_store, split
from cqa_spark.object_store.requests import NotAsExpected, NotThere

Answer = TypeVar("Answer")

PIECE = 8 << 20
"""Bytes of a request."""


def open_object(location: str, storage: ObjectStorageSettings, start: int = 0, version: str | None = None) -> IO[bytes]:
    """Open an object.

    Args:
        location: its address.
        storage: object storage settings.
        start: the first byte to read.
        version: identifies the content to read; None for the content at the first request.

    Raises:
        InputError: there is no such object, or it changed; raised here or while it is read.
    """
    folder, key = split(location)
    store = open_store(folder, storage)
    if isinstance(store, Bucket):
        return io.BufferedReader(_Object(store, key, start, version), PIECE)
    stored = store.read(key)
    if stored is None:
        raise _missing(location)
    if version not in (None, stored.version):
        raise _changed(location)
    stream = io.BytesIO(stored.data)
    stream.seek(start)
    return stream


class _Object(io.RawIOBase):
    """An object of a bucket, of which each read sends a request."""

    def __init__(self, bucket: Bucket, key: str, start: int, version: str | None) -> None:
        self._bucket, self._key, self._position = bucket, key, start
        self._location = f"{bucket.root}/{key}"
        head = self._answered(partial(bucket.client.head_object, **bucket.address(self._key)))
        self._size, self._version = head["ContentLength"], version or head["ETag"]

    def readable(self) -> bool:
        """It is only read."""
        return True

    def seekable(self) -> bool:
        """Any byte can be read next."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = start + offset
        return self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read the next bytes."""
        end = min(self._position + len(buffer), self._size)
        if end <= self._position:
            return 0
        address = {
            **self._bucket.address(self._key),
            "Range": f"bytes={self._position}-{end - 1}",
            "IfMatch": self._version,
        }
        data: bytes = self._answered(lambda: self._bucket.client.get_object(**address)["Body"].read())
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _answered(self, send: Callable[[], Answer]) -> Answer:
        try:
            return self._bucket.until_answered(self._key, send)
        except NotThere:
            raise _missing(self._location) from None
        except NotAsExpected:
            raise _changed(self._location) from None


def _missing(location: str) -> InputError:
    return InputError(f"there is no {location}", "check the address")


def _changed(location: str) -> InputError:
    return InputError(f"{location} changed while it was read", "wait until it is complete, then try again")
