"""boto3's S3 client, as far as we use it, on a dictionary; a script says what goes wrong with which request."""

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from botocore.exceptions import ClientError, IncompleteReadError, ReadTimeoutError

from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.s3_requests import S3Requests

LOST_REQUEST, LOST_ANSWER, FAULT, SLOW_DOWN = "lost request", "lost answer", "500", "503"


class FakeClient:
    """Fulfils conditional requests as S3 does.

    Args:
        faults: what happens to the requests to come, in order; None for nothing, and nothing after the last.
    """

    def __init__(self, faults: Sequence[str | None] = ()) -> None:
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.requests: list[str] = []
        self.break_after: int | None = None
        self._faults = list(faults)
        self._one_by_one = Lock()

    def head_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:
        self._fault("head", Key)()
        if Key not in self.objects:
            raise _refusal(404, "404")
        return {"ContentLength": len(self.objects[Key]), "ETag": _etag(self.objects[Key])}

    def get_object(self, *, Bucket: str, Key: str, Range: str = "bytes=0-", IfMatch: str = "") -> dict[str, Any]:
        answer = self._fault("get", Key)
        if Key not in self.objects:
            raise _refusal(404, "NoSuchKey")
        answer()
        first, last = Range.removeprefix("bytes=").split("-")
        data = self.objects[Key][int(first) : int(last or len(self.objects[Key])) + 1]
        body = io.BytesIO(data) if self.break_after is None else _Breaking(data[: self.break_after])
        self.break_after = None
        return {"Body": body, "ETag": _etag(self.objects[Key])}

    def upload_file(self, Filename: str, Bucket: str, Key: str) -> None:
        self.put_object(Bucket=Bucket, Key=Key, Body=Path(Filename).read_bytes())

    def put_object(
        self, *, Bucket: str, Key: str, Body: bytes, IfNoneMatch: str | None = None, IfMatch: str | None = None
    ) -> dict[str, Any]:
        answer = self._fault("put", Key)
        with self._one_by_one:
            stored = self.objects.get(Key)
            if IfNoneMatch and stored is not None:
                raise _refusal(412, "PreconditionFailed")
            if IfMatch and stored is None:
                raise _refusal(404, "NoSuchKey")
            if IfMatch and stored is not None and _etag(stored) != IfMatch:
                raise _refusal(412, "PreconditionFailed")
            self.objects[Key] = Body
        answer()
        return {"ETag": _etag(Body)}

    def create_multipart_upload(self, *, Bucket: str, Key: str) -> dict[str, Any]:
        self._fault("start", Key)()
        self.parts[Key] = {}
        return {"UploadId": f"upload of {Key}"}

    def upload_part(self, *, Bucket: str, Key: str, UploadId: str, PartNumber: int, Body: bytes) -> dict[str, Any]:
        answer = self._fault("part", Key)
        self.parts[Key][PartNumber] = Body
        answer()
        return {"ETag": _etag(Body)}

    def complete_multipart_upload(
        self, *, Bucket: str, Key: str, UploadId: str, MultipartUpload: dict[str, list[dict[str, Any]]]
    ) -> dict[str, Any]:
        self._fault("complete", Key)()
        parts = self.parts.pop(Key)
        self.objects[Key] = b"".join(parts[part["PartNumber"]] for part in MultipartUpload["Parts"])
        return {}

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> dict[str, Any]:
        self._fault("abort", Key)()
        self.parts.pop(Key, None)
        return {}

    def delete_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:
        answer = self._fault("delete", Key)
        self.objects.pop(Key, None)
        answer()
        return {}

    def delete_objects(self, *, Bucket: str, Delete: dict[str, Any]) -> dict[str, Any]:
        answer = self._fault("delete all", Delete["Objects"][0]["Key"])
        for entry in Delete["Objects"]:
            self.objects.pop(entry["Key"], None)
        answer()
        return {}

    def list_objects_v2(
        self, *, Bucket: str, Prefix: str, StartAfter: str = "", ContinuationToken: str = "", Delimiter: str = ""
    ) -> dict[str, Any]:
        """Two keys or common prefixes a page."""
        self._fault("list", Prefix)()
        after = ContinuationToken or StartAfter
        names = {_rolled_up(key, Prefix, Delimiter) for key in self.objects if key.startswith(Prefix)}
        left = sorted(name for name in names if name > after)
        objects, folders = ([name for name in left[:2] if (name in self.objects) is there] for there in (True, False))
        page = {
            "Contents": [self._listed(key) for key in objects],
            "CommonPrefixes": [{"Prefix": name} for name in folders],
            "IsTruncated": len(left) > 2,
        }
        return page | ({"NextContinuationToken": left[1]} if len(left) > 2 else {})

    def _listed(self, key: str) -> dict[str, Any]:
        return {"Key": key, "Size": len(self.objects[key]), "ETag": _etag(self.objects[key])}

    def _fault(self, kind: str, key: str) -> Any:
        """What happens before the request takes effect, and a function for what happens after it."""
        self.requests.append(f"{kind} {key}")
        fault = self._faults.pop(0) if self._faults else None
        if fault == LOST_REQUEST:
            raise _timeout()
        if fault in (FAULT, SLOW_DOWN):
            raise _refusal(int(fault), "SlowDown" if fault == SLOW_DOWN else "InternalError")

        def afterwards() -> None:
            if fault == LOST_ANSWER:
                raise _timeout()

        return afterwards


class _Breaking(io.BytesIO):
    """A body whose connection breaks before its end."""

    def read(self, size: int | None = -1) -> bytes:
        if data := super().read(size):
            return data
        raise IncompleteReadError(actual_bytes=0, expected_bytes=1)


def bucket(client: FakeClient, attempts: int = 5, prefix: str = "pre/fix") -> RemoteStore:
    """A store on a fake client, which never really waits."""
    return RemoteStore(S3Requests(client, "bucket", prefix), attempts=attempts, sleep=lambda _: None)


def _rolled_up(key: str, prefix: str, delimiter: str) -> str:
    """The key, or the part of it up to the first delimiter after the prefix."""
    rest = key.removeprefix(prefix)
    return prefix + rest.partition(delimiter)[0] + delimiter if delimiter and delimiter in rest else key


def _etag(data: bytes) -> str:
    return f'"{hashlib.md5(data).hexdigest()}"'


def _refusal(status: int, code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}, "PutObject")


def _timeout() -> ReadTimeoutError:
    return ReadTimeoutError(endpoint_url="http://127.0.0.1:1")
