"""Requests to storage: the interface that a kind of storage implements, and the errors for users.

A request is sent once here; `remote_store.py` repeats it, and finds out what became of one without an answer. The
error responses of S3 servers are the same in boto3 and in S3A, whose exceptions ``spark/failures.py`` reads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.store import ListedObject, ObjectWriter, Stored

T = TypeVar("T")

GIVE_CREDENTIALS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role"
REMEDIES = {
    "NoSuchBucket": "create the bucket, or correct its name",
    "ContainerNotFound": "create the container, or correct its name",
    "AccessDenied": "give these credentials permission to list, read, write and delete there",
    "InvalidAccessKeyId": GIVE_CREDENTIALS,
    "SignatureDoesNotMatch": "check the secret key and object_storage.region",
    "PermanentRedirect": "set object_storage.region to the bucket's",
    "RequestTimeTooSkewed": "set this machine's clock",
}

_FULL_STATUS = 507
"""Insufficient Storage (RFC 4918, section 11.5)."""
_FULL_CODES = {
    "InsufficientStorage",
    "NoSpaceLeft",
    "NotEnoughSpace",
    "QuotaExceeded",  # Ceph and others
    "QuotaExceededException",
    "ServiceQuotaExceeded",
    "StorageQuotaExceeded",
    "XMinioAdminBucketQuotaExceeded",
    "XMinioStorageFull",
}


def refusal(location: str, status: int, code: str, message: str = "") -> EnvironmentProblem:
    """The error for a response that would be the same if the request were sent again.

    Args:
        location: object of the request.
        status: HTTP status code.
        code: error code, such as ``QuotaExceeded``.
        message: of the server.
    """
    response = f"{status} {code} {message}".rstrip()
    if _is_full(status, code):
        remedy = "remove unneeded files (cqa runs gc), or raise the bucket's quota, then run the job again"
        return EnvironmentProblem(f"{location}: the object storage is full: {response}", remedy)
    remedy = REMEDIES.get(code, "check the settings below object_storage and the rights of the credentials")
    return EnvironmentProblem(f"{location}: the object storage refuses: {response}", remedy)


def is_temporary(status: int, code: str) -> bool:
    """Whether a response reports a failure of the server, or a conflict, after which the request is sent again."""
    return not _is_full(status, code) and (status in (408, 409, 429) or status >= 500 or code == "RequestTimeout")


def unanswered(location: str, reason: str) -> EnvironmentProblem:
    """The error for a request that was sent for the last time, without a response or with a temporary one.

    Args:
        location: object of the request.
        reason: cause of the missing response.
    """
    return EnvironmentProblem(
        f"{location}: no answer from the object storage: {reason}",
        "check object_storage.endpoint and the network (cqa doctor tests both), then run the job again",
    )


def without_credentials(location: str, remedy: str = GIVE_CREDENTIALS) -> EnvironmentProblem:
    """The error for a request without credentials."""
    return EnvironmentProblem(f"{location}: no credentials for the object storage", remedy)


def _is_full(status: int, code: str) -> bool:
    return status == _FULL_STATUS or code in _FULL_CODES


class NotThere(EnvironmentProblem):
    """The object does not exist; a problem where the request needs none."""


class NotAsExpected(EnvironmentProblem):
    """The condition of the request does not hold; nothing was written. A problem where the request has none."""


class NoAnswer(Exception):
    """The server sent no response; the request may have taken effect.

    Args:
        location: object of the request.
        reason: cause of the missing response.
    """

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(location, reason)
        self.location = location
        self.reason = reason

    def given_up(self) -> EnvironmentProblem:
        """The user-facing error, after the last attempt."""
        return unanswered(self.location, self.reason)


def meaning(location: str, status: int, code: str, message: str = "") -> Exception:
    """The exception for an error response over HTTP.

    Args:
        location: object of the request.
        status: HTTP status code.
        code: error code, such as ``NoSuchKey``.
        message: of the server.
    """
    if status in (404, 412) and code not in ("NoSuchBucket", "ContainerNotFound"):
        problem = f"{location}: the object storage refuses: {status} {code} {message}".rstrip()
        return (NotThere if status == 404 else NotAsExpected)(problem, "check the address and object_storage.endpoint")
    if is_temporary(status, code):
        return NoAnswer(location, f"{status} {code}")
    return refusal(location, status, code, message)


class Page(NamedTuple):
    """A part of a listing.

    Attributes:
        objects: in order of the characters of their keys.
        folders: names between slashes, if the listing is one of folders.
        rest: gives the next page; None for the last one.
    """

    objects: Sequence[ListedObject] = ()
    folders: Sequence[str] = ()
    rest: Any = None


class Send(Protocol):
    """Sends an idempotent request, again while there is no response."""

    def __call__(self, request: Callable[[], Any], /) -> Any:
        """The response."""
        ...


class Requests(ABC):
    """The requests of a kind of storage about the objects below one root. Each is sent once, its answer read whole.

    Every one of them raises ``NoAnswer`` if it is not known what became of it, and ``EnvironmentProblem`` if the
    storage refuses it permanently.

    Attributes:
        root: the location.
        deleted_at_once: most objects that ``delete_many`` takes.
    """

    root: str
    deleted_at_once: ClassVar[int] = 1

    def request(self, key: str, send: Callable[[], T]) -> T:
        """Send one request and read its complete response.

        Args:
            key: object of the request, for messages.
            send: sends it by the client of the storage.

        Raises:
            NotThere: there is no such object.
            NotAsExpected: the condition of the request does not hold.
            NoAnswer: the connection broke, the response is incomplete, or the server reported an internal error.
            EnvironmentProblem: the server rejects the request permanently.
        """
        try:
            return send()
        except Exception as error:
            problem = self.meaning_of(f"{self.root}/{key}", error)
            if problem is None:
                raise
            raise problem from error

    @abstractmethod
    def meaning_of(self, location: str, error: Exception) -> Exception | None:
        """What an exception of the client says: one that ``request`` raises; None for one that is not the client's."""

    @abstractmethod
    def get(self, key: str) -> Stored:
        """The object; raises ``NotThere`` if there is none."""

    @abstractmethod
    def describe(self, key: str) -> ListedObject:
        """The size of an object, and the version that ``get_range`` takes; raises ``NotThere`` if there is none."""

    @abstractmethod
    def get_range(self, key: str, version: str, start: int, end: int) -> bytes:
        """The bytes from one position to another; raises ``NotAsExpected`` if the object has another version."""

    @abstractmethod
    def put(self, key: str, data: bytes) -> None:
        """Write an object, overwriting any existing one."""

    @abstractmethod
    def put_if(self, key: str, data: bytes, version: str | None) -> str:
        """Write an object if it has a version, or if there is none (None); return the new version.

        Raises:
            NotAsExpected: it has another version; nothing was written.
            NotThere: it does not exist, and should.
        """

    @abstractmethod
    def upload(self, source: Path, key: str) -> None:
        """Copy a file to an object, in parts if it is large."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Remove an object, if it exists."""

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove objects, as far as they exist."""
        for key in keys:
            self.delete(key)

    @abstractmethod
    def page(self, prefix: str, after: str, rest: Any) -> Page:
        """A page of the objects whose keys start with a prefix and come after a key.

        Args:
            prefix: empty for all.
            after: empty for the first object; only for the first page.
            rest: of the page before; None for the first.
        """

    @abstractmethod
    def folders(self, within: str, rest: Any) -> Page:
        """A page of the names of the folders directly within a folder; arguments as for ``page``.

        Args:
            within: empty, or a folder with a slash at its end.
            rest: of the page before; None for the first.
        """

    @abstractmethod
    def writer(self, key: str, send: Send) -> ObjectWriter:
        """Open an object that is written from its start to its end; ``send`` repeats the requests."""

    def delete_unfinished(self) -> dict[str, int]:
        """Delete what killed processes left of objects; return its bytes, by path."""
        return {}


PART = 64 << 20
"""Bytes of a part. S3 takes at most 10,000 parts, so the largest object has 640 GB; Azure 50,000."""


class Parts(Protocol):
    """Requests that write an object in parts."""

    def put(self, key: str, data: bytes) -> None:
        """Write an object at once."""
        ...

    def begin(self, key: str) -> str:
        """The name of a new upload."""
        ...

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Send a part, numbered from 1; return what ``complete`` names it by."""
        ...

    def complete(self, key: str, upload: str, parts: Sequence[str]) -> None:
        """Make the object of its parts."""
        ...

    def abort(self, key: str, upload: str) -> None:
        """Remove the parts."""
        ...


@dataclass
class PartsWriter:
    """An object that is written sequentially; it becomes visible once it is complete.

    Args:
        requests: of the storage.
        key: of the object.
        send: sends a request, and repeats it.
        part: bytes of a part, at least 5 MB on Amazon's S3.
    """

    requests: Parts
    key: str
    send: Send
    part: int = PART

    def __post_init__(self) -> None:
        self._waiting = bytearray()
        self._sent: list[str] = []
        self._upload: str | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append bytes; each full part is sent."""
        self._waiting += data
        while len(self._waiting) >= self.part:
            self._send_part(bytes(self._waiting[: self.part]))
            del self._waiting[: self.part]

    def close(self) -> None:
        """Send the rest, and complete the object."""
        upload = self._upload
        if upload is None:
            self.send(lambda: self.requests.put(self.key, bytes(self._waiting)))
            return
        if self._waiting:
            self._send_part(bytes(self._waiting))
        self.send(lambda: self.requests.complete(self.key, upload, self._sent))
        self._upload = None

    def abort(self) -> None:
        """Remove the parts of an incomplete object."""
        upload, self._upload = self._upload, None
        if upload is not None:
            self.send(lambda: self.requests.abort(self.key, upload))

    def _send_part(self, data: bytes) -> None:
        if self._upload is None:
            self._upload = self.send(lambda: self.requests.begin(self.key))
        upload, number = self._upload, len(self._sent) + 1
        self._sent.append(self.send(lambda: self.requests.put_part(self.key, str(upload), number, data)))
