"""The requests of S3, by boto3."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from boto3.exceptions import S3UploadFailedError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    CredentialRetrievalError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
)
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.requests import (
    NoAnswer,
    Page,
    PartsWriter,
    Requests,
    Send,
    meaning,
    without_credentials,
)
from cqa_spark.object_store.store import ListedObject, ObjectWriter, Stored

CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, ProfileNotFound)
UNANSWERED = (
    ConnectionError, HTTPClientError, IncompleteReadError, FlexibleChecksumError, ResponseParserError,
    HTTPError,  # the body of an error's response is cut off: botocore reads it outside of its own handlers
)  # fmt: skip


class S3Requests(Requests):
    """The requests about the objects of a bucket, or of a prefix of it; a version is an entity tag.

    Args:
        client: boto3's S3 client, configured without retries.
        bucket: the bucket's name.
        prefix: prefix of all keys, without slashes at its ends; empty for the whole bucket.
    """

    deleted_at_once: ClassVar[int] = 1000

    def __init__(self, client: Any, bucket: str, prefix: str) -> None:
        self.root = f"s3a://{bucket}/{prefix}".rstrip("/")
        self._client = client
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""

    def get(self, key: str) -> Stored:
        """The object."""

        def send() -> Stored:
            answer = self._client.get_object(**self._address(key))
            return Stored(answer["Body"].read(), answer["ETag"])

        return self.request(key, send)

    def describe(self, key: str) -> ListedObject:
        """Its size and entity tag."""
        head = self.request(key, lambda: self._client.head_object(**self._address(key)))
        return ListedObject(key, head["ContentLength"], head["ETag"])

    def get_range(self, key: str, version: str, start: int, end: int) -> bytes:
        """Bytes of one version."""
        options = {"Range": f"bytes={start}-{end - 1}", "IfMatch": version}
        return self.request(key, lambda: self._client.get_object(**self._address(key), **options)["Body"].read())

    def put(self, key: str, data: bytes) -> None:
        """Overwrite the object."""
        self.request(key, lambda: self._client.put_object(**self._address(key), Body=data))

    def put_if(self, key: str, data: bytes, version: str | None) -> str:
        """Write by If-None-Match or If-Match."""
        condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
        send = lambda: self._client.put_object(**self._address(key), Body=data, **condition)["ETag"]  # noqa: E731
        return self.request(key, send)

    def upload(self, source: Path, key: str) -> None:
        """Copy a file, in parts that boto3 sends side by side."""
        self.request(key, lambda: self._client.upload_file(str(source), *self._address(key).values()))

    def delete(self, key: str) -> None:
        """Remove the object."""
        self.request(key, lambda: self._client.delete_object(**self._address(key)))

    def delete_many(self, keys: Sequence[str]) -> None:
        """Remove a thousand objects at once."""
        objects = [{"Key": self._address(key)["Key"]} for key in keys]
        delete = {"Bucket": self._bucket, "Delete": {"Objects": objects, "Quiet": True}}
        answer = self.request(keys[0], lambda: self._client.delete_objects(**delete))
        if errors := answer.get("Errors"):
            raise EnvironmentProblem(
                f"{self.root}/{errors[0]['Key'].removeprefix(self._prefix)} cannot be deleted: "
                f"{errors[0].get('Message', errors[0].get('Code'))}",
                "allow this user to delete objects of the bucket",
            )

    def page(self, prefix: str, after: str, rest: Any) -> Page:
        """A thousand objects."""
        answer = self._list(prefix, rest, {"StartAfter": self._prefix + after} if after else {})
        objects = [
            ListedObject(entry["Key"].removeprefix(self._prefix), entry["Size"], entry["ETag"])
            for entry in answer.get("Contents", ())
            if not entry["Key"].endswith("/")  # S3A marks folders by empty objects
        ]
        return Page(objects, rest=answer.get("NextContinuationToken"))

    def folders(self, within: str, rest: Any) -> Page:
        """A thousand names."""
        answer = self._list(within, rest, {"Delimiter": "/"})
        prefixes = [entry["Prefix"] for entry in answer.get("CommonPrefixes", ())]
        names = [prefix.removeprefix(self._prefix + within).rstrip("/") for prefix in prefixes]
        return Page(folders=names, rest=answer.get("NextContinuationToken"))

    def writer(self, key: str, send: Send) -> ObjectWriter:
        """Write in parts."""
        return PartsWriter(self, key, send)

    def begin(self, key: str) -> str:
        """The id of a new upload."""
        return self.request(key, lambda: self._client.create_multipart_upload(**self._address(key))["UploadId"])

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Send a part; return its entity tag."""
        part = {"UploadId": upload, "PartNumber": number, "Body": data}
        return self.request(key, lambda: self._client.upload_part(**self._address(key), **part)["ETag"])

    def complete(self, key: str, upload: str, parts: Sequence[str]) -> None:
        """Make the object of its parts."""
        listed = {"Parts": [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(parts, 1)]}
        address = self._address(key) | {"UploadId": upload, "MultipartUpload": listed}
        self.request(key, lambda: self._client.complete_multipart_upload(**address))

    def abort(self, key: str, upload: str) -> None:
        """Remove the parts."""
        self.request(key, lambda: self._client.abort_multipart_upload(**self._address(key), UploadId=upload))

    def _list(self, prefix: str, rest: Any, options: dict[str, str]) -> dict[str, Any]:
        if rest is not None:
            options |= {"ContinuationToken": rest}
        where = {"Bucket": self._bucket, "Prefix": self._prefix + prefix}
        return self.request(prefix, lambda: self._client.list_objects_v2(**where, **options))

    def meaning_of(self, location: str, error: Exception) -> Exception | None:
        """What an exception of boto3 says."""
        if isinstance(error, S3UploadFailedError):  # boto3 wraps the response in it
            if isinstance(error.__context__, ClientError):
                return self.meaning_of(location, error.__context__)
            return NoAnswer(location, str(error))
        if isinstance(error, UNANSWERED):
            return NoAnswer(location, str(error))
        if isinstance(error, ClientError):
            response = error.response["Error"]
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            return meaning(location, status, response.get("Code", ""), response.get("Message", ""))
        if isinstance(error, CREDENTIALS):
            return without_credentials(location)
        if isinstance(error, BotoCoreError):
            return EnvironmentProblem(f"{location}: {error}", "check the settings below object_storage")
        return None

    def _address(self, key: str) -> dict[str, Any]:
        """The location of an object, as boto3's arguments."""
        return {"Bucket": self._bucket, "Key": self._prefix + key}
