"""Opens the lake of a command: checks that it can be used, or leases it for a block.

Whoever leases a lake first completes what an earlier holder began.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cqa_spark.errors import ConfigError, ContractError, EnvironmentProblem
from cqa_spark.lake.collection import complete_collection
from cqa_spark.lake.lake import Lake, LeasedLake
from cqa_spark.lake.lease import Clock, Holder, Sleep, hold_lease
from cqa_spark.lake.pointer import KEY, Pointer, claim, read_pointer, restore_advice
from cqa_spark.lake.publishing import complete_publication, restore_pointer
from cqa_spark.lake.run_log import RunLog
from cqa_spark.object_store.locations import open_store, split
from cqa_spark.object_store.store import missing
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.suggestions import near_names


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
    read_pointer(objects)
    if objects.read(KEY) is None and not RunLog(objects).is_empty():
        raise missing(objects.root, KEY, "the lake has a run log", restore_advice(objects.root))


def _is_lake(root: str, storage: ObjectStorageSettings) -> bool:
    return open_store(root, storage).read(KEY) is not None


def _similar_lakes(root: str, storage: ObjectStorageSettings) -> list[str]:
    parent, name = split(root)
    if not name:
        return []
    try:
        near = near_names(name, open_store(parent, storage).folders())
        paths = [f"{root.rstrip('/').removesuffix(name)}{similar}" for similar in near]
        return [path for path in paths if _is_lake(path, storage)]
    except EnvironmentProblem:
        return []  # a user may be allowed to read only the lake


@contextmanager
def hold(lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep) -> Iterator[LeasedLake]:
    """Hold the lease of a lake while the block runs, so that no other process writes it.

    The ends of runs that an earlier holder did not record are recorded, once its publication is complete.

    Args:
        lake: the lake.
        holder: the new holder.
        clock: returns the time, with a time zone; None for the machine's clock.
        sleep: waits for a number of seconds.

    Raises:
        AnotherWriter: another process writes it.
        EnvironmentProblem: the publication of an earlier holder cannot be completed.
    """
    token = read_pointer(lake.objects).token
    with hold_lease(lake.objects, holder, clock, after=token, sleep=sleep) as lease:
        claim(lake.objects, lease.token)
        leased = LeasedLake(lake.session, lake.root, lake.storage, lease=lease)
        complete_publication(leased)
        complete_collection(leased)
        if lease.left_behind is not None:
            RunLog(lake.objects).close_abandoned(f"ended without a record: {lease.left_behind}")
        yield leased


def restore(lake: Lake, holder: Holder, clock: Clock | None = None, *, sleep: Sleep = time.sleep) -> Pointer:
    """Write the pointer anew from the run log, as ``restore_pointer``, while holding the lease; return it.

    Args:
        lake: the lake, whose pointer may be damaged, missing or outdated.
        holder: as for ``hold``.
        clock: as for ``hold``.
        sleep: as for ``hold``.

    Raises:
        AnotherWriter: another process writes the lake.
        EnvironmentProblem: the pointer is restored, and a Delta table does not show the published runs yet.
    """
    token = 0
    with suppress(ContractError):
        token = read_pointer(lake.objects).token
    with hold_lease(lake.objects, holder, clock, after=token, sleep=sleep) as lease:
        pointer = restore_pointer(LeasedLake(lake.session, lake.root, lake.storage, lease=lease))
        if lease.left_behind is not None:
            RunLog(lake.objects).close_abandoned(f"ended without a record: {lease.left_behind}")
    return pointer
