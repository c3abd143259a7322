"""Requests to an S3 server, and the errors for users.

The error responses of servers are the same in boto3 and in S3A, whose exceptions ``spark/failures.py`` reads.
"""

from collections.abc import Callable
from typing import TypeVar

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

GIVE_CREDENTIALS = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role"
REMEDIES = {
    "NoSuchBucket": "create the bucket, or correct its name",
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


def without_credentials(location: str) -> EnvironmentProblem:
    """The error for a request without credentials."""
    return EnvironmentProblem(f"{location}: no credentials for the object storage", GIVE_CREDENTIALS)


def _is_full(status: int, code: str) -> bool:
    return status == _FULL_STATUS or code in _FULL_CODES


T = TypeVar("T")

CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, ProfileNotFound)
UNANSWERED = (
    ConnectionError, HTTPClientError, IncompleteReadError, FlexibleChecksumError, ResponseParserError,
    HTTPError,  # the body of an error's response is cut off: botocore reads it outside of its own handlers
)  # fmt: skip


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


def request(location: str, send: Callable[[], T]) -> T:
    """Send one request and read its complete response.

    Args:
        location: object of the request, for messages.
        send: sends the request.

    Raises:
        NotThere: there is no such object.
        NotAsExpected: the condition of the request does not hold.
        NoAnswer: the connection broke, the response is incomplete, or the server reported an internal error.
        EnvironmentProblem: the server rejects the request permanently.
    """
    try:
        return send()
    except S3UploadFailedError as error:  # boto3 wraps the response in it
        if isinstance(error.__context__, ClientError):
            raise _meaning(location, error.__context__) from error
        raise NoAnswer(location, str(error)) from error
    except UNANSWERED as error:
        raise NoAnswer(location, str(error)) from error
    except ClientError as error:
        raise _meaning(location, error) from error
    except CREDENTIALS as error:
        raise without_credentials(location) from error
    except BotoCoreError as error:
        raise EnvironmentProblem(f"{location}: {error}", "check the settings below object_storage") from error


def _meaning(location: str, error: ClientError) -> Exception:
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    code, message = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
    if status in (404, 412) and code != "NoSuchBucket":
        problem = f"{location}: the object storage refuses: {status} {code} {message}".rstrip()
        return (NotThere if status == 404 else NotAsExpected)(problem, "check the address and object_storage.endpoint")
    if is_temporary(status, code):
        return NoAnswer(location, f"{status} {code}")
    return refusal(location, status, code, message)
