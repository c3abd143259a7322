"""Opens the store of a location, and splits locations into folder and name."""

from __future__ import annotations

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.object_store.folder import Folder
from cqa_spark.object_store.storage import storage_of
from cqa_spark.object_store.store import ObjectStore


def open_store(location: str, settings: ObjectStorageSettings | None = None) -> ObjectStore:
    """Open the store at a location, without requests to it.

    Args:
        location: local folder, or an address such as ``s3a://BUCKET/PREFIX``.
        settings: object storage settings; None for Amazon's.

    Raises:
        ConfigError: the type of storage is not supported.
    """
    scheme, is_address, path = location.partition("://")
    if not is_address:
        return Folder(location)
    if scheme == "file":
        return Folder(f"/{path.partition('/')[2]}")
    return storage_of(location).open(location, settings or ObjectStorageSettings())


def split(location: str) -> tuple[str, str]:
    """A location's folder and the name within it; a whole bucket has no name."""
    scheme, separator, path = location.rstrip("/").rpartition("://")
    folder, slash, name = path.rpartition("/")
    if separator and not slash:
        return location, ""
    return f"{scheme}{separator}{folder}" or ("/" if slash else "."), name
