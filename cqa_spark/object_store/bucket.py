"""Objects of an S3 bucket.

A request without a response may still have taken effect. Reads and unconditional writes are simply retried. After a
conditional write, the object is read back first: if the write took effect, a retry would be rejected as if another
writer had been first.
"""

import io
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

from cqa_spark.errors import CqaError, EnvironmentProblem, InputError
from cqa_spark.object_store.requests import NoAnswer, NotAsExpected, NotThere, request
from cqa_spark.object_store.store import (
    PIECE,
    ListedObject,
    ObjectStore,
    Stored,
    already_there,
    changed,
    check_key,
    no_object,
)


class ObjectStream(io.RawIOBase):
    """An object of which each read sends a request.

    Args:
        client: boto3's S3 client.
        address: the object's location, as boto3's arguments.
        location: its name in errors.
        send: sends a request, and retries it if there is no response.
        start: the first byte to read.

    Raises:
        InputError: there is no such object, or it changed; raised here or while it is read.
    """

    def __init__(
        self, client: Any, address: dict[str, str], location: str, send: Callable[[Callable[[], Any]], Any], start: int
    ) -> None:
        self._client, self._address, self._location, self._send, self._position = client, address, location, send, start
        head = self._answered(partial(client.head_object, **address))
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
        data: bytes = self._answered(lambda: self._client.get_object(**self._address, **request)["Body"].read())
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _answered(self, send: Callable[[], Any]) -> Any:
        try:
            return self._send(send)
        except NotThere:
            raise no_object(self._location) from None
        except NotAsExpected:
            raise InputError(
                f"{self._location} changed while it was read", "wait until it is complete, then try again"
            ) from None


T = TypeVar("T")


_DELETED_AT_ONCE = 1000


"""Most objects that a request of S3 deletes."""


FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0


"""Seconds before the first retry of a request; the delay doubles with each retry."""


class Bucket(ObjectStore):
    """An ``ObjectStore`` on a bucket, or on a prefix of it.

    Args:
        client: boto3's S3 client, configured without retries.
        bucket: the bucket's name.
        prefix: prefix of all keys, without slashes at its ends; empty for the whole bucket.
        attempts: maximum number of times that a request is sent.
        sleep: waits for a number of seconds.
    """

    def __init__(
        self, client: Any, bucket: str, prefix: str, *, attempts: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.root = f"s3a://{bucket}/{prefix}".rstrip("/")
        self.client = client
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._attempts = attempts
        self._sleep = sleep

    def read(self, key: str) -> Stored | None:
        """The object; None if it does not exist."""

        def read() -> Stored:
            answer = self.client.get_object(**self.address(key))
            return Stored(answer["Body"].read(), answer["ETag"])

        try:
            return self.until_answered(key, read)
        except NotThere:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Write an object, overwriting any existing one."""
        self.until_answered(key, lambda: self.client.put_object(**self.address(key), Body=data))

    def create(self, key: str, data: bytes) -> str:
        """Write an object that must not exist yet; return its version."""
        return self._write_if(key, data, {"IfNoneMatch": "*"}, None, already_there(self.root, key))

    def replace(self, key: str, data: bytes, version: str) -> str:
        """Overwrite the object if it has this version; return the new version."""
        return self._write_if(key, data, {"IfMatch": version}, version, changed(self.root, key))

    def delete(self, key: str) -> None:
        """Remove an object, if it exists."""
        self.until_answered(key, lambda: self.client.delete_object(**self.address(key)))

    def delete_all(self, keys: Iterable[str]) -> None:
        """Remove objects, as far as they exist, a thousand with each request."""
        remaining = iter(keys)
        while part := list(islice(remaining, _DELETED_AT_ONCE)):
            objects = [{"Key": self.address(key)["Key"]} for key in part]
            delete = {"Bucket": self._bucket, "Delete": {"Objects": objects, "Quiet": True}}
            answer = self.until_answered(part[0], partial(self.client.delete_objects, **delete))
            if errors := answer.get("Errors"):
                raise EnvironmentProblem(
                    f"{self.root}/{errors[0]['Key'].removeprefix(self._prefix)} cannot be deleted: "
                    f"{errors[0].get('Message', errors[0].get('Code'))}",
                    "allow this user to delete objects of the bucket",
                )

    def keys(self, prefix: str = "", after: str = "") -> Iterator[str]:
        """The keys that start with a prefix and come after a key, in order of their characters."""
        return (listed.key for listed in self.listed(prefix, after))

    def listed(self, prefix: str = "", after: str = "") -> Iterator[ListedObject]:
        """The entries of the objects with these keys."""
        for page in self._pages(prefix, {"StartAfter": self._prefix + after} if after else {}):
            for entry in page.get("Contents", ()):
                if not entry["Key"].endswith("/"):  # S3A marks folders by empty objects
                    yield ListedObject(entry["Key"].removeprefix(self._prefix), entry["Size"], entry["ETag"])

    def open(self, key: str, start: int = 0) -> IO[bytes]:
        """Open an object, of which each piece is a request."""
        send = partial(self.until_answered, key)
        return io.BufferedReader(ObjectStream(self.client, self.address(key), f"{self.root}/{key}", send, start), PIECE)

    def upload(self, source: Path, key: str) -> None:
        """Copy a file to an object, in chunks."""
        self.until_answered(key, partial(self.client.upload_file, str(source), *self.address(key).values()))

    def sizes(self, prefix: str = "") -> dict[str, int]:
        """The sizes, in bytes, of the objects whose keys start with a prefix, by key."""
        return {listed.key: listed.size for listed in self.listed(prefix)}

    def folders(self, within: str = "") -> list[str]:
        """The names of the folders directly within a folder, in order; none if it does not exist."""
        prefix = f"{within}/" if within else ""
        prefixes = (
            entry for page in self._pages(prefix, {"Delimiter": "/"}) for entry in page.get("CommonPrefixes", ())
        )
        return [entry["Prefix"].removeprefix(self._prefix + prefix).rstrip("/") for entry in prefixes]

    def _pages(self, prefix: str, options: dict[str, str]) -> Iterator[dict[str, Any]]:
        """The pages of a listing."""
        request = {"Bucket": self._bucket, "Prefix": self._prefix + prefix, **options}
        while True:
            page = self.until_answered(prefix, partial(self.client.list_objects_v2, **request))
            yield page
            if not page.get("IsTruncated"):
                return
            request["ContinuationToken"] = page["NextContinuationToken"]

    def _write_if(self, key: str, data: bytes, condition: dict[str, str], expected: str | None, lost: CqaError) -> str:
        """Write conditionally.

        Args:
            key: of the object.
            data: its new bytes.
            condition: name of the condition in boto3.
            expected: version that satisfies the condition; None if there must be no object.
            lost: raised if another writer was first.
        """

        def write() -> str:
            version: str = self.client.put_object(**self.address(key), Body=data, **condition)["ETag"]
            return version

        unsure: NoAnswer | None = None
        for pause in self._pauses():
            try:
                return request(f"{self.root}/{key}", write)
            except (NotAsExpected, NotThere):
                if unsure is None:
                    raise lost from None
            except NoAnswer as error:
                unsure = error
            stored = self.read(key)
            if stored is not None and stored.data == data:
                return stored.version
            if (stored.version if stored else None) != expected:
                raise lost
            self._sleep(pause)
        assert unsure is not None, "there is at least one try"
        raise unsure.given_up()

    def until_answered(self, key: str, send: Callable[[], T]) -> T:
        """Send a request, and retry it if there is no response; for idempotent requests."""
        for pause in self._pauses():
            try:
                return request(f"{self.root}/{key}", send)
            except NoAnswer as error:
                unanswered = error
            self._sleep(pause)
        raise unanswered.given_up()

    def _pauses(self) -> Iterator[float]:
        """A delay for every attempt; none after the last one."""
        for attempt in range(self._attempts):
            last = attempt + 1 == self._attempts
            yield 0.0 if last else min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)

    def address(self, key: str) -> dict[str, str]:
        """The location of an object, as boto3's arguments."""
        check_key(key)
        return {"Bucket": self._bucket, "Key": self._prefix + key}


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
