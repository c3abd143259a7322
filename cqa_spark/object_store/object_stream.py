"""An object of a bucket, read as a stream, in parts that fit memory."""

import io
from collections.abc import Callable
from functools import partial
from typing import Any

from cqa_spark.errors import InputError
from cqa_spark.object_store.requests import NotAsExpected, NotThere
from cqa_spark.object_store.store import no_object


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
