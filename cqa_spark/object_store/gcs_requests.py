"""The requests of Google Cloud Storage, by google-cloud-storage."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from google.api_core.exceptions import GoogleAPICallError, RetryError
from google.auth.exceptions import GoogleAuthError, TransportError
from google.cloud.storage.exceptions import DataCorruption, InvalidResponse
from google.cloud.storage.fileio import BlobWriter
from google.cloud.storage.retry import DEFAULT_RETRY
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from cqa_spark.object_store.requests import (
    PART,
    NoAnswer,
    NotAsExpected,
    NotThere,
    Page,
    Requests,
    Send,
    meaning,
    without_credentials,
)
from cqa_spark.object_store.store import ListedObject, ObjectWriter, Stored

_UNANSWERED = RequestException, HTTPError, TransportError, DataCorruption, RetryError, ConnectionError
_BYTES = "application/octet-stream"
_DELETED_BESIDE = 8
"""Requests that delete at the same time."""


class GcsRequests(Requests):
    """The requests about the objects of a bucket, or of a prefix of it; a version is the number of a generation.

    Args:
        client: Google's client.
        bucket: the bucket's name.
        prefix: prefix of all keys, without slashes at its ends; empty for the whole bucket.
        timeout: seconds without a response after which a request has failed.
    """

    deleted_at_once: ClassVar[int] = 64

    def __init__(self, client: Any, bucket: str, prefix: str, *, timeout: float) -> None:
        self.root = f"gs://{bucket}/{prefix}".rstrip("/")
        self._client = client
        self._bucket = client.bucket(bucket)
        self._prefix = f"{prefix}/" if prefix else ""
        self._once: dict[str, Any] = {"timeout": timeout, "retry": None}

    def get(self, key: str) -> Stored:
        """The object, with the generation that the answer names."""
        blob = self._blob(key)
        data = self.request(key, lambda: blob.download_as_bytes(raw_download=True, **self._once))
        return Stored(data, str(blob.generation))

    def describe(self, key: str) -> ListedObject:
        """Its size and generation."""
        blob = self._blob(key)
        self.request(key, lambda: blob.reload(**self._once))
        return ListedObject(key, blob.size, str(blob.generation))

    def get_range(self, key: str, version: str, start: int, end: int) -> bytes:
        """Bytes of one generation."""
        part = {"start": start, "end": end - 1, "if_generation_match": int(version), "raw_download": True}
        return self.request(key, lambda: self._blob(key).download_as_bytes(checksum=None, **part, **self._once))

    def put(self, key: str, data: bytes) -> None:
        """Overwrite the object."""
        self.request(key, lambda: self._blob(key).upload_from_string(data, _BYTES, **self._once))

    def put_if(self, key: str, data: bytes, version: str | None) -> str:
        """Write if the generation is the one that was read, which is 0 where there is no object."""
        if version is not None and not version.isdigit():
            raise NotAsExpected(f"{self.root}/{key} has no version {version}", "read it again")
        condition = {"if_generation_match": 0 if version is None else int(version)}
        blob = self._blob(key)
        self.request(key, lambda: blob.upload_from_string(data, _BYTES, **condition, **self._once))
        return str(blob.generation)

    def upload(self, source: Path, key: str) -> None:
        """Copy a file, in parts that Google's client repeats by itself."""
        blob = self._blob(key)
        self.request(
            key,
            lambda: blob.upload_from_filename(str(source), _BYTES, timeout=self._once["timeout"], retry=DEFAULT_RETRY),
        )

    def delete(self, key: str) -> None:
        """Remove the object."""
        with suppress(NotThere):
            self.request(key, lambda: self._blob(key).delete(**self._once))

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove objects, several at a time."""
        with ThreadPoolExecutor(_DELETED_BESIDE) as pool:
            list(pool.map(self.delete, keys))

    def page(self, prefix: str, after: str, rest: Any) -> Page:
        """A thousand objects."""
        start = {"start_offset": f"{self._prefix}{after}\0"} if after and rest is None else {}
        listing = self._list(prefix, rest, start)
        objects = [
            ListedObject(blob.name.removeprefix(self._prefix), blob.size, blob.md5_hash or str(blob.generation))
            for blob in listing[0]
            if not blob.name.endswith("/")  # programs mark folders by empty objects
        ]
        return Page(objects, rest=listing[1])

    def folders(self, within: str, rest: Any) -> Page:
        """A thousand names."""
        _, more, prefixes = self._list(within, rest, {"delimiter": "/"})
        return Page(folders=[name.removeprefix(self._prefix + within).rstrip("/") for name in prefixes], rest=more)

    def writer(self, key: str, send: Send) -> ObjectWriter:
        """Write by a resumable upload, whose parts Google's client repeats by itself."""
        return _ResumableUpload(self, key)

    def _list(self, prefix: str, rest: Any, options: dict[str, str]) -> tuple[list[Any], Any, set[str]]:
        def send() -> tuple[list[Any], Any, set[str]]:
            where = {"prefix": self._prefix + prefix, "page_token": rest, "page_size": 1000}
            listing = self._client.list_blobs(self._bucket, **where, **options, **self._once)
            blobs = list(next(listing.pages))
            return blobs, listing.next_page_token, listing.prefixes

        return self.request(prefix, send)

    def _blob(self, key: str) -> Any:
        return self._bucket.blob(self._prefix + key)

    def meaning_of(self, location: str, error: Exception) -> Exception | None:
        """What an exception of Google's client says."""
        if isinstance(error, GoogleAPICallError):
            reason = error.errors[0].get("reason", "") if error.errors else ""
            return meaning(location, int(error.code or 500), reason, str(error.message))
        if isinstance(error, InvalidResponse):
            return meaning(location, error.response.status_code, "", str(error))
        if isinstance(error, _UNANSWERED):
            return NoAnswer(location, str(error))
        if isinstance(error, GoogleAuthError):
            return without_credentials(location, "set GOOGLE_APPLICATION_CREDENTIALS")
        return None


class _ResumableUpload:
    """An object that is written sequentially."""

    def __init__(self, requests: GcsRequests, key: str) -> None:
        self._requests, self._key = requests, key
        self._writer = BlobWriter(requests._blob(key), chunk_size=PART)
        self._is_open = True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append bytes."""
        self._requests.request(self._key, lambda: self._writer.write(bytes(data)))

    def close(self) -> None:
        """Send the rest, and complete the object."""
        self._requests.request(self._key, self._writer.close)
        self._is_open = False

    def abort(self) -> None:
        """Cancel the upload."""
        if self._is_open:
            self._requests.request(self._key, self._writer.terminate)
