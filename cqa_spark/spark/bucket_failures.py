"""Recognizes failures of object storage in messages of S3A, Hadoop's client of S3."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.object_store.refusals import is_temporary, refusal, unanswered, without_credentials

_RESPONSE = r"Status Code: (\d+); Error Code: ([^;]+);"
_NO_BUCKET = r"UnknownStoreException"
_NO_CREDENTIALS = r"NoAuthWithAWSException|No AWS Credentials provided|Unable to load (?:AWS )?credentials"
_NO_RESPONSE = (
    r"Unable to execute HTTP request: [^\n]+",
    r"AWSNoResponseException|AWSClientIOException|SdkClientException",
)


def bucket_problem(message: str, locations: Sequence[str]) -> EnvironmentProblem | None:
    """The error for a message about a bucket that is full, refuses or does not answer; None for other messages.

    Args:
        message: of an exception of Java.
        locations: output locations of the job in buckets.
    """
    where = _location(message, locations)
    if response := re.search(_RESPONSE, message):
        status, code = int(response[1]), response[2].removeprefix(f"{response[1]} ")
        if is_temporary(status, code):
            return unanswered(where, f"{status} {code}")
        return refusal(where, status, code)
    if re.search(_NO_BUCKET, message):
        return refusal(where, 404, "NoSuchBucket")
    if re.search(_NO_CREDENTIALS, message):
        return without_credentials(where)
    reason = next(filter(None, (re.search(pattern, message) for pattern in _NO_RESPONSE)), None)
    return unanswered(where, reason[0]) if reason else None


def _location(message: str, locations: Sequence[str]) -> str:
    """The location in S3A's message, which for a copy contains the keys without their bucket."""
    if location := re.search(r"s3a://[^\s:,'\"`]+", message):
        return location[0].rstrip(".")
    copied = re.search(r"copyFile\([^,]+, ([^)]+)\)", message)
    if copied and locations:
        return f"s3a://{locations[0].removeprefix('s3a://').partition('/')[0]}/{copied[1]}"
    return "object storage"
