import pytest
from boto3.exceptions import S3UploadFailedError
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
)
from urllib3.exceptions import ProtocolError

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.requests import NoAnswer, NotAsExpected, NotThere
from cqa_spark.object_store.s3_requests import S3Requests

URL = "http://127.0.0.1:1"


def refusal(status: int, code: str) -> ClientError:
    error = {"Code": code, "Message": "as the server says"}
    return ClientError({"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}}, "PutObject")


def outcome(error: Exception) -> Exception:
    def send() -> None:
        raise error

    with pytest.raises(Exception) as raised:  # noqa: PT011
        S3Requests(None, "bucket", "").request("key", send)
    return raised.value


@pytest.mark.parametrize(
    "error",
    [
        EndpointConnectionError(endpoint_url=URL),
        ConnectTimeoutError(endpoint_url=URL),
        ReadTimeoutError(endpoint_url=URL),
        IncompleteReadError(actual_bytes=1, expected_bytes=2),
        ProtocolError("Connection broken: the body of an error is cut"),
        refusal(500, "InternalError"),
        refusal(503, "SlowDown"),
        refusal(409, "ConditionalRequestConflict"),
        refusal(400, "RequestTimeout"),
    ],
)
def test_it_is_not_known_what_became_of_it(error: Exception) -> None:
    found = outcome(error)
    assert isinstance(found, NoAnswer)
    assert str(found.given_up()).startswith("s3a://bucket/key: no answer from the object storage: ")


def test_conditions_and_absence_are_answers() -> None:
    assert isinstance(outcome(refusal(412, "PreconditionFailed")), NotAsExpected)
    assert isinstance(outcome(refusal(404, "NoSuchKey")), NotThere)


def test_a_refused_upload_is_a_refusal_and_an_unanswered_one_is_not() -> None:
    """boto3 raises the same error for both."""

    def fail(cause: Exception) -> Exception:
        error = S3UploadFailedError("Failed to upload")
        error.__context__ = cause
        return outcome(error)

    assert isinstance(fail(refusal(507, "InsufficientStorage")), EnvironmentProblem)
    assert isinstance(fail(refusal(403, "AccessDenied")), EnvironmentProblem)
    assert isinstance(fail(refusal(503, "SlowDown")), NoAnswer)
    assert isinstance(fail(EndpointConnectionError(endpoint_url=URL)), NoAnswer)


@pytest.mark.parametrize(
    ("error", "told", "remedy"),
    [
        (refusal(404, "NoSuchBucket"), "refuses: 404 NoSuchBucket as the server says", "create the bucket"),
        (refusal(403, "AccessDenied"), "refuses: 403 AccessDenied", "give these credentials permission"),
        (refusal(507, "InsufficientStorage"), "is full: 507 InsufficientStorage", "remove unneeded files"),
        (refusal(403, "QuotaExceeded"), "is full: 403 QuotaExceeded as the server says", "remove unneeded files"),
        (refusal(507, ""), "is full: 507", "remove unneeded files"),
        (refusal(400, "Odd"), "refuses: 400 Odd", "check the settings below object_storage"),
        (NoCredentialsError(), "no credentials", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_a_refusal_says_what_to_do(error: Exception, told: str, remedy: str) -> None:
    found = outcome(error)
    assert isinstance(found, EnvironmentProblem)
    assert told in found.problem
    assert found.remedy.startswith(remedy)
