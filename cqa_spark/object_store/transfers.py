"""Large objects of a bucket, read and written as streams, in parts that fit memory."""

import io
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar
from uuid import uuid4

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.object_store.bucket import Bucket
from cqa_spark.object_store.locations import open_store, split
from cqa_spark.object_store.requests import NotAsExpected, NotThere

T = TypeVar("T")

PIECE = 8 << 20
"""Bytes of a request that reads."""

PART = 64 << 20
"""Bytes of a request that writes. S3 takes at most 10,000 parts, so the largest object has 640 GB."""


def open_object(location: str, storage: ObjectStorageSettings, start: int = 0) -> IO[bytes]:
    """Open an object.

    Args:
        location: its address.
        storage: object storage settings.
        start: the first byte to read.

    Raises:
        InputError: there is no such object, or it changed; raised here or while it is read.
    """
    folder, key = split(location)
    store = open_store(folder, storage)
    if isinstance(store, Bucket):
        return io.BufferedReader(_Object(store, key, start), PIECE)
    stored = store.read(key)
    if stored is None:
        raise _missing(location)
    stream = io.BytesIO(stored.data)
    stream.seek(start)
    return stream


def download(bucket: Bucket, key: str, target: Path) -> None:
    """Copy an object to a file atomically.

    Raises:
        InputError: there is no such object, or it changed in the meantime.
        EnvironmentProblem: the storage does not answer, or the file cannot be written.
    """
    unfinished = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            shutil.copyfileobj(_Object(bucket, key), file, PIECE)
        unfinished.replace(target)
    except OSError as error:
        raise EnvironmentProblem(
            f"{bucket.root}/{key} cannot be copied to {target}: {error.strerror}",
            "free disk space, or name another folder",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


class _Object(io.RawIOBase):
    """An object of a bucket, of which each read sends a request."""

    def __init__(self, bucket: Bucket, key: str, start: int = 0) -> None:
        self._bucket, self._key, self._position = bucket, key, start
        head = self._answered(partial(bucket.client.head_object, **bucket.address(key)))
        self._size, self._version = head["ContentLength"], head["ETag"]

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
        request = {"Range": f"bytes={self._position}-{end - 1}", "IfMatch": self._version}
        address = self._bucket.address(self._key) | request
        data: bytes = self._answered(lambda: self._bucket.client.get_object(**address)["Body"].read())
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _answered(self, send: Callable[[], T]) -> T:
        location = f"{self._bucket.root}/{self._key}"
        try:
            return self._bucket.until_answered(self._key, send)
        except NotThere:
            raise _missing(location) from None
        except NotAsExpected:
            raise _changed(location) from None


def _missing(location: str) -> InputError:
    return InputError(f"there is no {location}", "check the address")


def _changed(location: str) -> InputError:
    return InputError(f"{location} changed while it was read", "wait until it is complete, then try again")


class MultipartUpload:
    """An object that is written sequentially; it becomes visible once it is complete.

    Args:
        bucket: its bucket.
        key: its key.
        part: bytes of a part, at least 5 MB on Amazon's S3.
    """

    def __init__(self, bucket: Bucket, key: str, part: int = PART) -> None:
        self._bucket = bucket
        self._key = key
        self._part = part
        self._waiting = bytearray()
        self._sent: list[dict[str, Any]] = []
        self._upload: dict[str, str] = {}

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append bytes; each full part is sent."""
        self._waiting += data
        while len(self._waiting) >= self._part:
            self._send(bytes(self._waiting[: self._part]))
            del self._waiting[: self._part]

    def close(self) -> None:
        """Send the rest, and complete the object."""
        if not self._upload:
            self._bucket.put(self._key, bytes(self._waiting))
            return
        if self._waiting:
            self._send(bytes(self._waiting))
        self._call(self._bucket.client.complete_multipart_upload, MultipartUpload={"Parts": self._sent})
        self._upload = {}

    def abort(self) -> None:
        """Remove the parts of an incomplete object."""
        if self._upload:
            self._call(self._bucket.client.abort_multipart_upload)
            self._upload = {}

    def _send(self, data: bytes) -> None:
        if not self._upload:
            self._upload = {"UploadId": self._call(self._bucket.client.create_multipart_upload)["UploadId"]}
        number = len(self._sent) + 1
        answer = self._call(self._bucket.client.upload_part, PartNumber=number, Body=data)
        self._sent.append({"PartNumber": number, "ETag": answer["ETag"]})

    def _call(self, method: Callable[..., T], **more: object) -> T:
        address = self._bucket.address(self._key) | self._upload
        return self._bucket.until_answered(self._key, partial(method, **address, **more))
