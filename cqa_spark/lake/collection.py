"""Collection: deletes the files that neither the published run, nor a rollback, nor a kept run needs.

Nothing is decided by the clock. The attempts of runs to collect are named in the pointer first, which fails if another
process has taken the lake over; then only files that were listed before are deleted, the manifest of a run first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.manifest import NAME, folder_of, read_manifest
from cqa_spark.lake.pointer import change_pointer, read_pointer
from cqa_spark.lake.publishing import stored_sizes
from cqa_spark.lake.run_log import FOLDER, RunLog
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.storage import RUNS, TABLES

FEWEST = 2
"""Publications that are always kept: the current one, and the one before, which readers may still be reading."""


@dataclass(frozen=True)
class Collected:
    """What a collection did.

    Attributes:
        kept: the runs that were kept.
        attempts: the attempts that can no longer be published, as ``RUN.ATTEMPT``.
        files: number of deleted files.
        bytes: their size.
    """

    kept: Sequence[RunRecord]
    attempts: Sequence[str]
    files: int
    bytes: int


def runs_to_keep(lake: LeasedLake, keep: int) -> list[RunRecord]:
    """The last publications, the runs that users keep, and later successful runs that may still be published.

    Args:
        lake: leased by this process.
        keep: number of publications, at least ``FEWEST``; each attempt counts once, by its latest publication.
    """
    log, pointer = RunLog(lake.objects), read_pointer(lake.objects)
    published = {_name(each): each for each in [pointer.record] if each is not None}
    for record in reversed(log.records(status="published")):
        published.setdefault(_name(record), record)
    shown = pointer.record.sequence if pointer.record is not None else 0
    waiting = [each for each in log.records(status="succeeded") if each.sequence > shown or each.run_id in pointer.kept]
    kept = [*list(published.values())[: max(keep, FEWEST)], *waiting]
    of_users = [each for each in published.values() if each.run_id in pointer.kept]
    found = {_name(record): record for record in [*kept, *of_users]}
    return [record for name, record in found.items() if name not in pointer.collected]


def collect(lake: LeasedLake, keep: int) -> Collected:
    """Delete the files that no kept run needs; those of runs that failed are among them.

    Args:
        lake: leased by this process; no run is in progress.
        keep: as for ``runs_to_keep``.

    Raises:
        AnotherWriter: another process has taken the lease.
        ContractError: the manifest of a kept run cannot be read; nothing was deleted.
    """
    kept, stored = runs_to_keep(lake, keep), stored_sizes(lake)
    folders = tuple(f"{folder_of(record.run_id, record.attempt)}/" for record in kept)
    needed = {path for record in kept for path in read_manifest(lake.objects, record).all_sizes()}
    unneeded = [path for path in stored if _is_of_run(path) and path not in needed and not path.startswith(folders)]
    manifests = [path for path in unneeded if path.endswith(f"/{NAME}") and path.count("/") == 2]
    attempts = [path.split("/")[1] for path in manifests]
    if unneeded:
        lake.before_write()
        change_pointer(
            lake.objects,
            lake.lease.token,
            lambda pointer: pointer.model_copy(update={"collected": tuple(sorted(attempts))}),
        )
        lake.objects.delete_all(manifests)
        lake.objects.delete_all(sorted(set(unneeded) - set(manifests)))
        _record(lake, attempts)
    return Collected(kept, attempts, len(unneeded), sum(stored[path] for path in unneeded))


def _is_of_run(path: str) -> bool:
    """Whether a file is in the folder of an attempt; others may have written into the folders of tables."""
    folders = path.split("/")[:-1]
    of_attempt = 3 if folders[0] == TABLES else 2
    return len(folders) >= of_attempt and "_delta_log" not in folders and not path.startswith(FOLDER)


def _record(lake: LeasedLake, attempts: Sequence[str]) -> None:
    """Append a record for each collected attempt, as the attempt's last one."""
    log = RunLog(lake.objects)
    newest = {_name(record): record for record in log.records(status="succeeded")}
    for name in attempts:
        if name in newest:
            collected = replace(newest[name], status="collected", job="gc", message="its files are deleted")
            log.append(replace(collected, recorded_at=datetime.now(UTC)))


def _name(record: RunRecord) -> str:
    return folder_of(record.run_id, record.attempt).removeprefix(f"{RUNS}/")
