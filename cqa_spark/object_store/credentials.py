"""Passes the driver's credentials to tasks that access a bucket, as Spark passes them to S3A."""

from __future__ import annotations

import os
from collections.abc import Mapping

from cqa_spark.object_store.opening import s3_client

_NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def credentials() -> dict[str, str]:
    """The environment variables of this process that hold credentials."""
    return {name: os.environ[name] for name in _NAMES if name in os.environ}


def use_credentials(given: Mapping[str, str]) -> None:
    """Use the credentials of another process in this one."""
    if any(os.environ.get(name) != value for name, value in given.items()):
        os.environ.update(given)
        s3_client.cache_clear()


def found_credentials() -> dict[str, str]:
    """The credentials that boto3 finds in its chain, as environment variables; empty if it finds none."""
    import boto3

    chain = boto3.session.Session().get_credentials()
    if chain is None:
        return {}
    values = chain.get_frozen_credentials()
    named = zip(_NAMES, (values.access_key, values.secret_key, values.token), strict=True)
    return {name: value for name, value in named if value}
