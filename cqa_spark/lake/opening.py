"""Checks the lake of a command without writing, and rejects a lake of the previous release."""

from __future__ import annotations

import shlex

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.suggestions import near_names
from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.lake import pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas.runs import RUNS
from cqa_spark.object_store.opening import open_store
from cqa_spark.object_store.split import split
from cqa_spark.object_store.store import ObjectStore, missing


def require_lake(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake exists, and that this release can read it.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ConfigError: there is no lake, or the previous release wrote it.
        EnvironmentProblem: the storage does not answer, or the user may not read.
    """
    require_any_lake(root, storage)
    refuse_last_release(root, storage)


def require_any_lake(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake exists, by looking for the object that its first writer creates.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ConfigError: there is no lake; the message suggests lakes with similar names.
        ContractError: its pointer is missing.
        EnvironmentProblem: the storage does not answer, or the user may not read.
    """
    if _is_lake(root, storage):
        return
    refuse_lost_pointer(root, storage)
    near = _similar_lakes(root, storage)
    remedy = f"did you mean {' or '.join(near)}?" if near else "check the path; cqa run and cqa ingest create a lake"
    raise ConfigError(f"there is no lake at {root}; nothing was written", remedy)


def refuse_last_release(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake, if there is one, is not of the previous release.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ConfigError: the previous release wrote it.
    """
    if is_of_last_release(open_store(root, storage)):
        raise ConfigError(
            f"the lake at {root} was written by the previous release, which kept small tables in Delta format; "
            "nothing was written",
            f"migrate it once: cqa lake migrate {shlex.quote(root)}",
        )


def refuse_lost_pointer(root: str, storage: ObjectStorageSettings) -> None:
    """Check that a lake with a run log has its pointer, which the first writer creates before the log.

    Args:
        root: folder of the lake, local or ``s3a://BUCKET/PREFIX``.
        storage: object storage settings.

    Raises:
        ContractError: the pointer is missing; a new one would forget the published run.
    """
    objects = open_store(root, storage)
    if objects.read(pointer.KEY) is None and not RunLog(objects).is_empty():
        raise missing(objects.root, pointer.KEY, "the lake has a run log")


def is_of_last_release(objects: ObjectStore) -> bool:
    """Whether a lake has its run log in Delta format, as in the previous release."""
    return next(iter(objects.keys(f"{RUNS.name}/_delta_log/")), None) is not None


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
