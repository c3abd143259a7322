"""Requests to an S3 server, and the errors for their failures."""

from __future__ import annotations

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

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.refusals import FULL, GIVE_CREDENTIALS, MAKE_SPACE, REMEDIES, is_full

T = TypeVar("T")

CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, ProfileNotFound)
UNANSWERED = (
    ConnectionError, HTTPClientError, IncompleteReadError, FlexibleChecksumError, ResponseParserError,
)  # fmt: skip


class NotThere(Exception):
    """The object does not exist."""


class NotAsExpected(Exception):
    """The condition of the request does not hold; nothing was written."""


class NoAnswer(Exception):
    """The server sent no response; the request may have taken effect.

    Args:
        place: object of the request.
        reason: cause of the missing response.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason

    def given_up(self) -> EnvironmentProblem:
        """The user-facing error, after the last attempt."""
        return EnvironmentProblem(
            f"{self.place}: no answer from the object storage: {self.reason}",
            "check object_storage.endpoint and the network (cqa doctor tests both), then run the job again",
        )


def request(place: str, send: Callable[[], T]) -> T:
    """Send one request and read its complete response.

    Args:
        place: object of the request, for messages.
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
            raise _meaning(place, error.__context__) from error
        raise NoAnswer(place, str(error)) from error
    except UNANSWERED as error:
        raise NoAnswer(place, str(error)) from error
    except ClientError as error:
        raise _meaning(place, error) from error
    except CREDENTIALS as error:
        raise EnvironmentProblem(f"{place}: no credentials for the object storage", GIVE_CREDENTIALS) from error
    except BotoCoreError as error:
        raise EnvironmentProblem(f"{place}: {error}", "check the settings below object_storage") from error


def _meaning(place: str, error: ClientError) -> Exception:
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    code, message = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
    if status == 404 and code != "NoSuchBucket":
        return NotThere(place)
    if status == 412:
        return NotAsExpected(place)
    if is_full(status, code):
        return EnvironmentProblem(f"{place}: {FULL}: {status} {code} {message}".rstrip(), MAKE_SPACE)
    if status in (408, 409, 429) or status >= 500 or code == "RequestTimeout":
        return NoAnswer(place, f"{status} {code}")
    remedy = REMEDIES.get(code, "check the settings below object_storage and the rights of the credentials")
    return EnvironmentProblem(f"{place}: the object storage refuses: {status} {code} {message}".rstrip(), remedy)
