"""A large object of a bucket, written as a stream, in parts that fit memory."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from cqa_spark.object_store.bucket import Bucket

T = TypeVar("T")

PART = 64 << 20
"""Bytes of a request. S3 takes at most 10,000 parts, so the largest object has 640 GB."""


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
