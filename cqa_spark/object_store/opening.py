"""From a location, as people write it, to the store that holds its objects."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import ConfigError
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import ObjectStore


def open_store(location: str, settings: ObjectStorageSettings | None = None) -> ObjectStore:
    """Open the store at a location; nothing is asked or made yet.

    Args:
        location: local folder, or ``s3a://BUCKET/PREFIX``.
        settings: how the S3 server is reached; None for Amazon's.

    Raises:
        ConfigError: the location names another kind of storage.
    """
    # Hadoop's paths hold every character as it is written; a URL's parser would take %, ? and # for something else.
    scheme, is_address, rest = location.partition("://")
    if not is_address:
        return Folder(location)
    authority, _, path = rest.partition("/")
    if scheme == "file":
        return Folder(f"/{path}")
    if scheme not in ("s3a", "s3") or not authority:
        raise ConfigError(f"{location} is no place for objects", "give a local folder or s3a://BUCKET/PREFIX")
    from cqa_spark.object_store.bucket import Bucket  # boto3, which commands on local files need not wait for

    settings = settings or ObjectStorageSettings()
    return Bucket(s3_client(settings), authority, path.strip("/"), attempts=settings.attempts)


@lru_cache
def s3_client(settings: ObjectStorageSettings) -> Any:
    """boto3's client, with credentials from the usual chain; it sends every request once, repeating is ours."""
    import boto3
    from botocore.config import Config

    return boto3.session.Session().client(
        "s3",
        endpoint_url=settings.endpoint,
        region_name=settings.region,
        use_ssl=settings.tls,
        config=Config(
            s3={"addressing_style": "path" if settings.path_style else "auto"},
            retries={"total_max_attempts": 1},
            connect_timeout=settings.timeout,
            read_timeout=settings.timeout,
        ),
    )
