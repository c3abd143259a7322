"""Requests to an S3 server, and the errors for their failures."""

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
from cqa_spark.object_store.refusals import is_temporary, refusal, unanswered, without_credentials

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
        place: object of the request.
        reason: cause of the missing response.
    """

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(location, reason)
        self.place = location
        self.reason = reason

    def given_up(self) -> EnvironmentProblem:
        """The user-facing error, after the last attempt."""
        return unanswered(self.place, self.reason)


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
