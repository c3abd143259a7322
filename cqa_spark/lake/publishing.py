"""Publishes runs, through a pointer that changes atomically.

One run of every corpus is published. A publication has four parts: all files of the run are there; the pointer names
the run; every Delta table has the files of the published runs; the run log has the record. The pointer decides. Whoever
takes the lake's lease completes the last two.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from cqa_spark.errors import AnotherWriter, ContractError, InputError, noted
from cqa_spark.lake.delta_tables import refuse_changed_types, update_tables
from cqa_spark.lake.lake import RUNS, TABLES, Lake, LeasedLake
from cqa_spark.lake.manifest import folder_of, manifest_key, missing_files, read_manifest
from cqa_spark.lake.pointer import KEY, Pointer, change_pointer, read_pointer, restore_advice, write_anew
from cqa_spark.lake.run_log import ListedRecord, RunLog, RunRecord
from cqa_spark.lake.snapshot import Snapshot, published_runs
from cqa_spark.object_store.store import Changed
from cqa_spark.process.signals import uninterrupted

REPORT = "report.html"
"""The page of an attempt in its folder, and of the published run in the lake."""

INDEX = "index.html"
"""The page of the lake as of an attempt, in its folder; and in the lake, as of the latest published run with one."""

REPORT_FILES = (REPORT, "report.queries.html", "report.queries.csv")
"""The page with the files that it links to."""


def publish(lake: LeasedLake, run_id: str, *, reason: str = "published") -> RunRecord:
    """Publish a finished run atomically, instead of the one of its corpus; a no-op if it is already published.

    Args:
        lake: leased by this process.
        run_id: the run.
        reason: the message of the log's record.

    Raises:
        InputError: the run never succeeded, files of it are gone, or another corpus has one of its sites.
        ContractError: a column is stored with another type than declared; nothing was changed.
        AnotherWriter: this process no longer holds the lease.
        EnvironmentProblem: the run is published, and a Delta table does not show it yet.
    """
    success = RunLog(lake.objects).require_success(run_id)
    complete_publication(lake)
    for current in published_runs(lake):
        if current.attempt_name == success.attempt_name:
            return current
    return _show(lake, success, job="publish", message=reason)


def rollback(lake: LeasedLake, to: str | None = None) -> RunRecord:
    """Publish an earlier published run again; the published runs of other corpora stay.

    Args:
        lake: leased by this process.
        to: its id; None for the run of its corpus that was published before the latest publication.

    Raises:
        InputError: there is no such run, files of it are gone, or another corpus has one of its sites.
        ContractError: a column is stored with another type than declared; nothing was changed.
        AnotherWriter: this process no longer holds the lease.
        EnvironmentProblem: the run is published, and a Delta table does not show it yet.
    """
    complete_publication(lake)
    current = {record.attempt_name: record for record in published_runs(lake)}
    latest = next(iter(current.values()), None)
    earlier = None
    for publication in _publications(lake):
        if publication.attempt_name not in current and to in (None, publication.run_id):
            record = RunLog(lake.objects).read(publication)
            if to or latest is None or record.corpus == latest.corpus:
                earlier = record
                break
    if earlier is None:
        of_corpus = f" of {latest.corpus}" if len(current) > 1 and latest else ""
        problem = f"run {to} was not published before" if to else f"no earlier run{of_corpus} was published"
        raise InputError(f"{problem} in {lake.root}", "list the runs: cqa runs list")
    replaced = next((record for record in current.values() if record.corpus == earlier.corpus), None)
    message = f"rolled back from {replaced.run_id}" if replaced else "rolled back"
    return _show(lake, earlier, job="rollback", message=message)


def complete_publication(lake: LeasedLake) -> None:
    """Complete the publication that the pointer names: the Delta tables, the lake's report, the run log.

    Args:
        lake: leased by this process.

    Raises:
        AnotherWriter: this process no longer holds the lease.
        EnvironmentProblem: a Delta table cannot be updated; the message says which run readers see where.
        ContractError: the run log has no publication of this number, or of a smaller one: another history.
    """
    record, *others = published_runs(lake) or (None,)
    log = RunLog(lake.objects)
    if record is None or log.has(record):
        return
    if record.sequence > log.next_sequence():
        raise ContractError(
            f"{lake.path(KEY)} names record {record.sequence} of the run log, which ends with record "
            f"{log.next_sequence() - 1}: one of both was restored from a backup; nothing was changed",
            restore_advice(lake.root),
        )
    _show_tables(lake, (record, *others))
    with uninterrupted(), noted(f"run {record.run_id} is published, but not recorded in the run log"):
        log.complete(record)


def restore_pointer(lake: LeasedLake) -> Pointer:
    """Write the pointer anew, from the last publication of every corpus in the run log; return it.

    Runs that were being collected stay collected: their manifests are gone. Runs that users keep are read from the old
    pointer, if it is readable.

    Args:
        lake: leased by this process.

    Raises:
        AnotherWriter: this process no longer holds the lease.
        EnvironmentProblem: the pointer is restored, and a Delta table does not show the published runs yet.
    """
    log = RunLog(lake.objects)
    recorded = {listed.attempt_name for listed in log.listed("collected")}
    latest: dict[str, RunRecord] = {}  # publication of each corpus
    collected = set[str]()
    for listed in log.listed("succeeded", "published"):
        if listed.attempt_name in recorded:
            continue
        if lake.objects.read(manifest_key(listed)) is None:
            collected.add(listed.attempt_name)
        elif listed.status == "published":
            record = log.read(listed)
            latest[record.corpus] = record
    pointer = Pointer(token=lake.lease.token, collected=tuple(sorted(collected)))
    for record in sorted(latest.values(), key=lambda record: record.sequence):
        pointer = pointer.publishing(record)
    lake.before_write()
    pointer = write_anew(lake.objects, pointer)
    if pointer.records:
        _show_tables(lake, pointer.records)
    return pointer


def _show_tables(lake: LeasedLake, records: Sequence[RunRecord]) -> None:
    """Show the published runs, the latest first, to readers of Delta tables and of pages."""
    record, *others = records
    seen = f"run {record.run_id} is published; Delta readers may see tables of the run before, until they are updated"
    with noted(seen):
        tables = Snapshot(lake, record, tuple(others)).tables
        update_tables(lake, tables, record.sequence, before_commit=lake.before_write)
        _show_pages(lake, records)


def _show(lake: LeasedLake, run: RunRecord, *, job: str, message: str) -> RunRecord:
    _refuse_shared_sites(lake, run)
    _refuse_incomplete(lake, run)
    refuse_changed_types(lake)
    shown = replace(
        run,
        status="published",
        job=job,
        message=message,
        recorded_at=datetime.now(UTC),
        sequence=RunLog(lake.objects).next_sequence(),
    )
    lake.before_write()
    with uninterrupted():
        change_pointer(lake.objects, lake.lease.token, lambda pointer: pointer.publishing(shown))
    complete_publication(lake)
    return shown


def _refuse_shared_sites(lake: Lake, run: RunRecord) -> None:
    """Check that no other corpus has a site of the run, whose rows readers would see twice.

    Raises:
        InputError: one has.
    """
    for other in published_runs(lake):
        if other.corpus != run.corpus and (shared := {*other.sites} & {*run.sites}):
            raise InputError(
                f"run {run.run_id} is not published: {min(shared)} is a site of {other.corpus or 'another corpus'}, "
                f"by the published run {other.run_id}; nothing was changed",
                "name another site, use another lake, or drop the site from that corpus first: --drop-site",
            )


def _refuse_incomplete(lake: LeasedLake, run: RunRecord) -> None:
    """Check that a run can be published.

    Raises:
        InputError: it was collected, or files of it are gone; the message names runs that can be published.
    """
    collected, stored = read_pointer(lake.objects).collected, stored_sizes(lake)
    problem = _incomplete(lake, run, collected, stored)
    if problem is not None:
        others = [listed for listed in _publications(lake) if listed.attempt_name != run.attempt_name]
        complete = [listed.run_id for listed in others if _incomplete(lake, listed, collected, stored) is None]
        remedy = f"publish one of: {', '.join(dict.fromkeys(complete))}" if complete else "run the job again"
        raise InputError(f"run {run.run_id} cannot be published: {problem}; nothing was changed", remedy)


def _incomplete(
    lake: Lake, run: RunRecord | ListedRecord, collected: Iterable[str], stored: Mapping[str, int]
) -> str | None:
    if run.attempt_name in collected:
        return "it was collected"
    try:
        gone = next(missing_files(read_manifest(lake.objects, run), stored), None)
    except ContractError as error:
        return error.problem
    return None if gone is None else f"{lake.path(gone)} is missing, or was changed"


def stored_sizes(lake: Lake) -> dict[str, int]:
    """Bytes of every file of runs, by path."""
    return {**lake.objects.sizes(f"{TABLES}/"), **lake.objects.sizes(f"{RUNS}/")}


def _publications(lake: Lake) -> list[ListedRecord]:
    """The publications, the latest first."""
    return RunLog(lake.objects).listed("published")[::-1]


def remove_earlier_report(lake: LeasedLake) -> None:
    """Remove the report of the lake, unless it is the report of the latest published run.

    Args:
        lake: leased by this process.
    """
    for record in published_runs(lake)[:1]:
        for name in REPORT_FILES:
            shown, own = lake.objects.read(name), lake.objects.read(f"{folder_of(record)}/{name}")
            if shown is not None and (own is None or own.data != shown.data):
                lake.before_write()
                lake.objects.delete(name)


def _show_pages(lake: LeasedLake, records: Sequence[RunRecord]) -> None:
    """Copy the report of the latest published run, if it has one, and the page of the lake to where readers look.

    Raises:
        AnotherWriter: another process has taken the lease, or has changed a page meanwhile.
    """
    sources = {name: f"{folder_of(records[0])}/{name}" for name in REPORT_FILES}
    artifacts = (path for record in records for path in record.artifacts.values())
    if index := next((path for path in artifacts if path.endswith(f"/{INDEX}")), None):
        sources[INDEX] = index.removeprefix(lake.path(""))
    elif lake.objects.read(INDEX) is not None:
        lake.before_write()
        lake.objects.delete(INDEX)
    for name, source in sources.items():
        new, shown = lake.objects.read(source), lake.objects.read(name)
        if new is None or (shown is not None and shown.data == new.data):
            continue
        lake.before_write()
        try:
            lake.objects.create_or_replace(name, new.data, shown.version if shown else None)
        except Changed as error:
            raise AnotherWriter(f"another process has just written {lake.path(name)}", "run the job again") from error
