"""Opens the store of a location, and splits locations into folder and name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import ConfigError
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.store import ObjectStore


def open_store(location: str, settings: ObjectStorageSettings | None = None) -> ObjectStore:
    """Open the store at a location, without requests to it.

    Args:
        location: local folder, or ``s3a://BUCKET/PREFIX``.
        settings: object storage settings; None for Amazon's.

    Raises:
        ConfigError: the type of storage is not supported.
    """
    # Hadoop's paths take every character literally; a URL parser would interpret %, ? and #.
    scheme, is_address, rest = location.partition("://")
    if not is_address:
        return Folder(location)
    authority, _, path = rest.partition("/")
    if scheme == "file":
        return Folder(f"/{path}")
    if scheme not in ("s3a", "s3") or not authority:
        raise ConfigError(
            f"{location} is not a supported location for objects", "give a local folder or s3a://BUCKET/PREFIX"
        )
    from cqa_spark.object_store.bucket import Bucket  # slow import of boto3, not needed for local files

    settings = settings or ObjectStorageSettings()
    return Bucket(s3_client(settings), authority, path.strip("/"), attempts=settings.attempts)


@lru_cache
def s3_client(settings: ObjectStorageSettings) -> Any:
    """boto3's client, with credentials from the default chain and without retries, because the store retries."""
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


def split(location: str) -> tuple[str, str]:
    """A location's folder and the name within it; a whole bucket has no name."""
    scheme, separator, path = location.rstrip("/").rpartition("://")
    folder, slash, name = path.rpartition("/")
    if separator and not slash:
        return location, ""
    return f"{scheme}{separator}{folder}" or ("/" if slash else "."), name
