"""Error codes of S3 servers, which are the same in boto3 and S3A, with remedies."""

from __future__ import annotations

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
FULL = "the object storage is full"
MAKE_SPACE = "remove unneeded files (cqa runs gc), or raise the bucket's quota, then run the job again"


def is_full(status: int, code: str) -> bool:
    """Whether a response reports a full disk or an exceeded quota.

    Args:
        status: HTTP status code.
        code: error code, such as ``QuotaExceeded``.
    """
    return status == _FULL_STATUS or code in _FULL_CODES
