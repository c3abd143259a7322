"""Passes the driver's credentials to tasks that access object storage, as Spark passes them to S3A."""

from __future__ import annotations

import os
from collections.abc import Mapping

from cqa_spark.object_store.s3 import s3_client
from cqa_spark.object_store.storage import OBJECT_STORES


def credentials() -> dict[str, str]:
    """The environment variables of this process that hold credentials."""
    names = (name for storage in OBJECT_STORES.load_all().values() for name in storage.credentials)
    return {name: os.environ[name] for name in names if name in os.environ}


def use_credentials(given: Mapping[str, str]) -> None:
    """Use the credentials of another process in this one."""
    if any(os.environ.get(name) != value for name, value in given.items()):
        os.environ.update(given)
        s3_client.cache_clear()
