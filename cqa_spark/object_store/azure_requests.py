"""The requests of Azure Blob Storage, by azure-storage-blob."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from azure.core import MatchConditions
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.storage.blob import BlobBlock, BlobPrefix

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.requests import (
    NoAnswer,
    NotAsExpected,
    NotThere,
    Page,
    PartsWriter,
    Requests,
    Send,
    meaning,
    without_credentials,
)
from cqa_spark.object_store.store import ListedObject, ObjectWriter, Stored


class AzureRequests(Requests):
    """The requests about the blobs of a container, or of a prefix of it; a version is an entity tag.

    Args:
        client: Azure's client of an account, configured without retries.
        container: the container's name.
        prefix: prefix of all keys, without slashes at its ends; empty for the whole container.
    """

    deleted_at_once: ClassVar[int] = 256

    def __init__(self, client: Any, container: str, prefix: str) -> None:
        self.root = f"az://{container}/{prefix}".rstrip("/")
        self._container = client.get_container_client(container)
        self._prefix = f"{prefix}/" if prefix else ""

    def get(self, key: str) -> Stored:
        """The blob."""

        def send() -> Stored:
            answer = self._blob(key).download_blob()
            return Stored(answer.readall(), answer.properties.etag)

        return self.request(key, send)

    def describe(self, key: str) -> ListedObject:
        """Its size and entity tag."""
        properties = self.request(key, lambda: self._blob(key).get_blob_properties())
        return ListedObject(key, properties.size, properties.etag)

    def get_range(self, key: str, version: str, start: int, end: int) -> bytes:
        """Bytes of one version."""
        part = {"offset": start, "length": end - start, "etag": version, "match_condition": _SAME}
        return self.request(key, lambda: self._blob(key).download_blob(**part).readall())

    def put(self, key: str, data: bytes) -> None:
        """Overwrite the blob."""
        self.request(key, lambda: self._blob(key).upload_blob(data, overwrite=True))

    def put_if(self, key: str, data: bytes, version: str | None) -> str:
        """Write by If-None-Match or If-Match."""
        condition = {} if version is None else {"overwrite": True, "etag": version, "match_condition": _SAME}
        return self.request(key, lambda: self._blob(key).upload_blob(data, **condition)["etag"])

    def upload(self, source: Path, key: str) -> None:
        """Copy a file, in blocks if it is large."""

        def send() -> None:
            with source.open("rb") as stream:
                self._blob(key).upload_blob(stream, overwrite=True)

        self.request(key, send)

    def delete(self, key: str) -> None:
        """Remove the blob."""
        with suppress(NotThere):
            self.request(key, lambda: self._blob(key).delete_blob())

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove up to 256 blobs by one request."""
        names = [self._prefix + key for key in keys]
        answers = self.request(keys[0], lambda: list(self._container.delete_blobs(*names, raise_on_any_failure=False)))
        for key, answer in zip(keys, answers, strict=True):
            if answer.status_code >= 300 and answer.status_code != 404:
                raise meaning(f"{self.root}/{key}", answer.status_code, "")

    def page(self, prefix: str, after: str, rest: Any) -> Page:
        """Five thousand blobs."""
        start = {"start_from": self._prefix + after} if after and rest is None else {}
        blobs, more = self._list(prefix, rest, lambda name: self._container.list_blobs(name_starts_with=name, **start))
        entries = [(blob.name.removeprefix(self._prefix), blob) for blob in blobs]
        objects = [ListedObject(key, blob.size, _content(blob)) for key, blob in entries if key > after]
        return Page(objects, rest=more)

    def folders(self, within: str, rest: Any) -> Page:
        """Five thousand names."""
        entries, more = self._list(
            within, rest, lambda name: self._container.walk_blobs(name_starts_with=name, delimiter="/")
        )
        prefixes = [entry.name for entry in entries if isinstance(entry, BlobPrefix)]
        return Page(folders=[name.removeprefix(self._prefix + within).rstrip("/") for name in prefixes], rest=more)

    def writer(self, key: str, send: Send) -> ObjectWriter:
        """Write in blocks; Azure removes those of an incomplete blob after a week."""
        return PartsWriter(self, key, send)

    def begin(self, key: str) -> str:
        """A name for the blocks, so that no other writer's are taken for them."""
        return uuid4().hex

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Stage a block; return its id."""
        name = b64encode(f"{upload}{number:06}".encode()).decode()
        self.request(key, lambda: self._blob(key).stage_block(name, data))
        return name

    def complete(self, key: str, upload: str, parts: Sequence[str]) -> None:
        """Make the blob of its blocks."""
        self.request(key, lambda: self._blob(key).commit_block_list([BlobBlock(name) for name in parts]))

    def abort(self, key: str, upload: str) -> None:
        """Nothing is visible of blocks."""

    def _list(self, prefix: str, rest: Any, open_listing: Callable[[str], Any]) -> tuple[list[Any], Any]:
        def send() -> tuple[list[Any], Any]:
            pages = open_listing(self._prefix + prefix).by_page(rest)
            return list(next(pages)), pages.continuation_token or None

        return self.request(prefix, send)

    def meaning_of(self, location: str, error: Exception) -> Exception | None:
        """What an exception of Azure's client says."""
        if isinstance(error, ServiceRequestError | ServiceResponseError):  # an incomplete body is one of the latter
            return NoAnswer(location, str(error))
        if isinstance(error, ClientAuthenticationError):
            return without_credentials(location, "check the account's key, token or role")
        if isinstance(error, HttpResponseError):
            status, code = error.status_code, str(getattr(error, "error_code", ""))
            if status is None or status < 300:  # the body was cut off
                return NoAnswer(location, str(error.message))
            if code == "BlobAlreadyExists":  # how Azure answers If-None-Match: *
                return NotAsExpected(f"{location}: {code}", "read it again")
            return meaning(location, status, code, str(error.reason or ""))
        if isinstance(error, AzureError):
            return EnvironmentProblem(f"{location}: {error}", "check the variables AZURE_STORAGE_…")
        return None

    def _blob(self, key: str) -> Any:
        return self._container.get_blob_client(self._prefix + key)


_SAME = MatchConditions.IfNotModified


def _content(blob: Any) -> str:
    """What identifies the content of a listed blob."""
    md5 = blob.content_settings.content_md5
    return bytes(md5).hex() if md5 else str(blob.etag)
