"""Checks the lake of a command without writing, and rejects a lake of an older version."""

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.suggestions import near_names
from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.lake import pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.object_store.locations import open_store, split
from cqa_spark.object_store.store import missing


def require_lake(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake exists, by looking for the object that its first writer creates, and can be read.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ConfigError: there is no lake, and the message suggests lakes with similar names; or it is too old.
        ContractError: its pointer is missing.
        EnvironmentProblem: the storage does not answer, or the user may not read.
    """
    refuse_unusable_lake(root, storage)
    if not _is_lake(root, storage):
        near = _similar_lakes(root, storage)
        advice = "check the path; cqa run and cqa ingest create a lake"
        remedy = f"did you mean {' or '.join(near)}?" if near else advice
        raise ConfigError(f"there is no lake at {root}; nothing was written", remedy)


def refuse_unusable_lake(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake, if there is one, has the format of this release, and its pointer if it has a run log.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ConfigError: another release wrote it.
        ContractError: the pointer, which the first writer creates before the log, is missing; a new one would forget
            the published run.
    """
    objects = open_store(root, storage)
    pointer.read_pointer(objects)
    if objects.read(pointer.KEY) is None and not RunLog(objects).is_empty():
        raise missing(objects.root, pointer.KEY, "the lake has a run log", pointer.restore_advice(objects.root))


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
        return []  # a user may be allowed to read only the lake
