"""Collection: deletes the files that neither a published run, nor a rollback, nor a kept run needs.

Nothing is decided by the clock. The attempts of runs to collect are named in the pointer first, which fails if another
process has taken the lake over, and then in the run log; whoever takes the lake's lease completes that. Only files that
were listed before are deleted, the manifest of a run first.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from cqa_spark.errors import ContractError
from cqa_spark.lake.lake import RUNS, TABLES, Lake, LeasedLake
from cqa_spark.lake.manifest import NAME, folder_of, read_manifest
from cqa_spark.lake.pointer import KEY, change_pointer, read_pointer, restore_advice
from cqa_spark.lake.publishing import stored_sizes
from cqa_spark.lake.run_log import ListedRecord, RunLog

_OF_RUN = re.compile(rf"{TABLES}/[^/]+/[^/]+\.\d+/[0-9a-f]{{32}}/|{RUNS}/[^/]+\.\d+/")
"""Paths of the files of runs; other programs may have written beside them."""

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

    kept: Sequence[ListedRecord]
    attempts: Sequence[str]
    files: int
    bytes: int


def runs_to_keep(lake: LeasedLake, keep: int, *, fewest: int = FEWEST, corpus: str | None = None) -> list[ListedRecord]:
    """The last publications of every corpus, later successful runs that may still be published, and runs of users.

    Args:
        lake: leased by this process.
        keep: number of publications of a corpus; each attempt counts once, by its latest publication.
        fewest: publications that are kept in any case.
        corpus: the only one whose earlier publications are not kept; None for all.
    """
    log, pointer = RunLog(lake.objects), read_pointer(lake.objects)
    listed = log.listed("published", "succeeded", "collected")
    collected = _names(record for record in listed if record.status == "collected") | {*pointer.collected}
    stored = [record for record in listed if record.attempt_name not in collected]
    published = {record.attempt_name: record for record in reversed(stored) if record.status == "published"}
    succeeded = {record.attempt_name: record for record in stored if record.status == "succeeded"}
    corpora = {name: log.read(record).corpus for name, record in succeeded.items()}

    publications: dict[str, list[ListedRecord]] = {}  # of each corpus, the latest first
    for name, record in published.items():
        publications.setdefault(corpora[name], []).append(record)
    kept = list[ListedRecord]()
    for name, records in publications.items():
        kept += records[: max(keep, fewest)] if corpus in (None, name) else records
    # A success after the last publication of its corpus may still be published.
    last_published = {record.corpus: record.sequence for record in pointer.records}
    latest = max(last_published.values(), default=0)
    for name, record in succeeded.items():
        if record.sequence > last_published.get(corpora[name], latest):
            kept.append(record)
    kept += [record for record in (*published.values(), *succeeded.values()) if record.run_id in pointer.kept]
    return list({record.attempt_name: record for record in kept}.values())


def collect(lake: LeasedLake, keep: int, *, fewest: int = FEWEST, corpus: str | None = None) -> Collected:
    """Delete the files that no kept run needs, also the files of failed runs.

    Args:
        lake: leased by this process; no run is in progress.
        keep: as for ``runs_to_keep``.
        fewest: as for ``runs_to_keep``.
        corpus: as for ``runs_to_keep``.

    Raises:
        AnotherWriter: another process has taken the lease.
        ContractError: a published run is not among those that are kept, or the manifest of a kept run cannot be read;
            nothing was deleted.
    """
    kept, stored = runs_to_keep(lake, keep, fewest=fewest, corpus=corpus), stored_sizes(lake)
    _require_published(lake, kept)
    folders = tuple(f"{folder_of(record)}/" for record in kept)
    needed = {path for record in kept for path in read_manifest(lake.objects, record).all_sizes()}
    unneeded = [path for path in stored if _OF_RUN.match(path) and path not in needed and not path.startswith(folders)]
    manifests = [path for path in unneeded if path.endswith(f"/{NAME}") and path.count("/") == 2]
    attempts = [path.split("/")[1] for path in manifests]
    if unneeded:
        recorded = _names(RunLog(lake.objects).listed("collected"))
        lake.before_write()
        change_pointer(
            lake.objects,
            lake.lease.token,
            lambda pointer: pointer.model_copy(
                # an attempt without a success may record it late, if its process was overtaken
                update={"collected": tuple(sorted({*attempts, *pointer.collected} - recorded))}
            ),
        )
        complete_collection(lake)
        lake.objects.delete_all(manifests)
        lake.objects.delete_all(sorted(set(unneeded) - set(manifests)))
    unfinished = lake.objects.delete_unfinished()
    deleted = [stored[path] for path in unneeded] + list(unfinished.values())
    return Collected(kept, attempts, len(deleted), sum(deleted))


def _require_published(lake: Lake, kept: Iterable[ListedRecord]) -> None:
    """Check that the published runs are among those that are kept, whatever listings said.

    Raises:
        ContractError: one is not.
    """
    collected = _names(RunLog(lake.objects).listed("collected"))
    for record in read_pointer(lake.objects).records:
        if record.attempt_name in collected:
            raise ContractError(
                f"{lake.path(KEY)} names run {record.run_id}, which was collected: it was restored from a backup; "
                "nothing was deleted",
                restore_advice(lake.root),
            )
        if record.attempt_name not in _names(kept):
            raise ContractError(
                f"run {record.run_id} is published, and the storage does not list its records: it lists objects later "
                "than it stores them; nothing was deleted",
                "keep the lake in a storage with strongly consistent listings (docs/object-storage.md)",
            )


def complete_collection(lake: LeasedLake) -> None:
    """Append a record for each successful attempt that the pointer names as collected, as the attempt's last one.

    Args:
        lake: leased by this process.
    """
    collected, log = read_pointer(lake.objects).collected, RunLog(lake.objects)
    if not collected:
        return
    listed = log.listed("succeeded", "collected")
    missing = {*collected} - _names(record for record in listed if record.status == "collected")
    successes = {each.attempt_name: each for each in listed if each.status == "succeeded"}  # the last of each
    for name, success in successes.items():
        if name in missing:
            record = log.read(success)
            message = f"its files are deleted; before: {record.message}"
            log.append(replace(record, status="collected", job="gc", message=message, recorded_at=datetime.now(UTC)))


def _names(records: Iterable[ListedRecord]) -> set[str]:
    return {record.attempt_name for record in records}
