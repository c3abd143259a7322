"""Opens a lake for reading only: the lake has to exist, and the check writes nothing."""

from __future__ import annotations

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.suggestions import near_names
from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.lake import pointer
from cqa_spark.object_store.opening import open_store
from cqa_spark.object_store.split import split


def require_lake(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake exists, by the object that its first writer creates.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ConfigError: there is no lake; names lakes beside it whose names are similar.
        EnvironmentProblem: the storage does not answer, or refuses to let this user read.
    """
    if _is_lake(root, storage):
        return
    near = _similar_lakes(root, storage)
    remedy = f"did you mean {' or '.join(near)}?" if near else "check the path; cqa run and cqa ingest create a lake"
    raise ConfigError(f"there is no lake at {root}; nothing was written", remedy)


def _is_lake(root: str, storage: ObjectStorageSettings) -> bool:
    return open_store(root, storage).read(pointer.KEY) is not None


def _similar_lakes(root: str, storage: ObjectStorageSettings) -> list[str]:
    parent, name = split(root)
    if not name:
        return []
    try:
        near = near_names(name, open_store(parent, storage).folders())
        paths = [f"{root.rstrip('/').removesuffix(name)}{each}" for each in near]
        return [path for path in paths if _is_lake(path, storage)]
    except EnvironmentProblem:
        return []  # a user may be allowed to read the lake and nothing beside it
