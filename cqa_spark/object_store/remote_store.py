"""Objects that are reached by requests, whatever the kind of storage: what is done if no answer comes.

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

from cqa_spark.errors import CqaError, InputError
from cqa_spark.object_store.requests import NoAnswer, NotAsExpected, NotThere, Page, Requests
from cqa_spark.object_store.store import (
    PIECE,
    ListedObject,
    ObjectStore,
    ObjectWriter,
    Stored,
    already_there,
    changed,
    check_key,
    no_object,
)

T = TypeVar("T")

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds before the first retry of a request; the delay doubles with each retry."""


class RemoteStore(ObjectStore):
    """An ``ObjectStore`` on a bucket, on a prefix of it, or on a folder of a file system of a cluster.

    Args:
        requests: of the kind of storage, each sent once.
        attempts: maximum number of times that a request is sent.
        sleep: waits for a number of seconds.
    """

    def __init__(self, requests: Requests, *, attempts: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self.root = requests.root
        self._requests = requests
        self._attempts = attempts
        self._sleep = sleep

    def read(self, key: str) -> Stored | None:
        """The object; None if it does not exist."""
        try:
            return self._until_answered(self._requests.get, _checked(key))
        except NotThere:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Write an object, overwriting any existing one."""
        self._until_answered(self._requests.put, _checked(key), data)

    def create(self, key: str, data: bytes) -> str:
        """Write an object that must not exist yet; return its version."""
        return self._write_if(_checked(key), data, None, already_there(self.root, key))

    def replace(self, key: str, data: bytes, version: str) -> str:
        """Overwrite the object if it has this version; return the new version."""
        return self._write_if(_checked(key), data, version, changed(self.root, key))

    def delete(self, key: str) -> None:
        """Remove an object, if it exists."""
        self._until_answered(self._requests.delete, _checked(key))

    def delete_all(self, keys: Iterable[str]) -> None:
        """Remove objects, as far as they exist, many with each request."""
        remaining = map(_checked, keys)
        while part := list(islice(remaining, self._requests.deleted_at_once)):
            self._until_answered(self._requests.delete_many, part)

    def delete_unfinished(self) -> dict[str, int]:
        """Delete what killed processes left of objects; return its bytes, by path."""
        return self._until_answered(self._requests.delete_unfinished)

    def keys(self, prefix: str = "", after: str = "") -> Iterator[str]:
        """The keys that start with a prefix and come after a key, in order of their characters."""
        return (listed.key for listed in self.listed(prefix, after))

    def listed(self, prefix: str = "", after: str = "") -> Iterator[ListedObject]:
        """The entries of the objects with these keys."""
        for page in self._pages(partial(self._requests.page, prefix, after)):
            yield from page.objects

    def sizes(self, prefix: str = "") -> dict[str, int]:
        """The sizes, in bytes, of the objects whose keys start with a prefix, by key."""
        return {listed.key: listed.size for listed in self.listed(prefix)}

    def folders(self, within: str = "") -> list[str]:
        """The names of the folders directly within a folder, in order; none if it does not exist."""
        pages = self._pages(partial(self._requests.folders, f"{within}/" if within else ""))
        return sorted(name for page in pages for name in page.folders)

    def open(self, key: str, start: int = 0) -> IO[bytes]:
        """Open an object, of which each piece is a request."""
        stream = ObjectStream(self._requests, _checked(key), self._until_answered, start)
        return io.BufferedReader(stream, PIECE)

    def upload(self, source: Path, key: str) -> None:
        """Copy a file to an object, in chunks."""
        self._until_answered(self._requests.upload, source, _checked(key))

    def writer(self, key: str) -> ObjectWriter:
        """Open an object that is written sequentially, in parts that fit memory."""
        return self._requests.writer(_checked(key), self._until_answered)

    def _pages(self, page: Callable[[Any], Page]) -> Iterator[Page]:
        rest = None
        while True:
            answer: Page = self._until_answered(page, rest)
            yield answer
            if (rest := answer.rest) is None:
                return

    def _write_if(self, key: str, data: bytes, expected: str | None, lost: CqaError) -> str:
        """Write conditionally.

        Args:
            key: of the object.
            data: its new bytes.
            expected: version that the object must have; None if there must be no object.
            lost: raised if another writer was first.
        """
        unsure: NoAnswer | None = None
        for pause in self._pauses():
            try:
                return self._requests.put_if(key, data, expected)
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

    def _until_answered(self, request: Callable[..., T], *arguments: Any) -> T:
        """Send a request, and retry it if there is no response; for idempotent requests."""
        for pause in self._pauses():
            try:
                return request(*arguments)
            except NoAnswer as error:
                unanswered = error
            self._sleep(pause)
        raise unanswered.given_up()

    def _pauses(self) -> Iterator[float]:
        """A delay for every attempt; none after the last one."""
        for attempt in range(self._attempts):
            last = attempt + 1 == self._attempts
            yield 0.0 if last else min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)


class ObjectStream(io.RawIOBase):
    """An object of which each read sends a request.

    Args:
        requests: of the storage.
        key: of the object.
        send: sends a request with its arguments, and retries it if there is no response.
        start: the first byte to read.

    Raises:
        InputError: there is no such object, or it changed; raised here or while it is read.
    """

    def __init__(self, requests: Requests, key: str, send: Callable[..., Any], start: int) -> None:
        self._requests, self._key, self._send, self._position = requests, key, send, start
        described: ListedObject = self._answered(requests.describe)
        self._size, self._version = described.size, described.version

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
        data: bytes = self._answered(self._requests.get_range, self._version, self._position, end)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _answered(self, request: Callable[..., Any], *arguments: Any) -> Any:
        location = f"{self._requests.root}/{self._key}"
        try:
            return self._send(request, self._key, *arguments)
        except NotThere:
            raise no_object(location) from None
        except NotAsExpected:
            raise InputError(
                f"{location} changed while it was read", "wait until it is complete, then try again"
            ) from None


def _checked(key: str) -> str:
    check_key(key)
    return key
