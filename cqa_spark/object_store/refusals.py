"""Error responses of S3 servers, which are the same in boto3 and S3A, and the errors for users."""

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
