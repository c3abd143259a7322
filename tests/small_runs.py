"""Runs of two small tables in a folder, written without Spark: users of sites, and a journal table of notes."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from cqa_spark.lake.journal import JournalTable, write_entries
from cqa_spark.lake.lake import TABLES, Lake, LeasedLake
from cqa_spark.lake.lease import Holder
from cqa_spark.lake.manifest import RunManifest, folder_of, write_manifest
from cqa_spark.lake.opening import hold
from cqa_spark.lake.pointer import change_pointer, claim
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run import Run, open_run
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.lake.schemas.community import USERS
from cqa_spark.lake.schemas.metrics import METRICS
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.lake.table import DataFile, Table, TableFiles, column
from cqa_spark.lake.writing import nullable
from cqa_spark.object_store.folder import Folder
from cqa_spark.spark.internals import to_arrow_schema

METRIC = {
    "system": "best_a", "task": "question_comment", "split": "dev", "measure": "MAP@10", "value": 0.5, "low": 0.4,
    "high": 0.6, "confidence": 0.95, "queries": 2, "resamples": 9, "seed": 1, "population": None, "band": None,
    "topics": None,
}  # fmt: skip
"""A row of ``metrics``."""

NOTES = JournalTable("notes", "Made for the test.", (column("note", "string", "a fact"),), key=("note",))


def no_spark() -> NoReturn:
    """Stands for a session where none is needed."""
    raise AssertionError("Spark is started")


def lake_at(folder: Path | str) -> Lake:
    """A lake whose session must not be started."""
    return Lake(no_spark, str(folder))


@contextmanager
def held(lake: Lake, job: str = "test") -> Iterator[LeasedLake]:
    """The lake, leased by this process."""
    with hold(lake, Holder.of_this_process(job)) as leased:
        yield leased


@contextmanager
def opened(lake: Lake, run_id: str, *, resume: bool = False, code_version: str = "0") -> Iterator[Run]:
    """A run that has begun."""
    begin = RunRecord(run_id, "running", "run", config_hash="c0ffee", config="task: x\n", code_version=code_version)
    with open_run(lake, begin, resume=resume, on_step=lambda step: None) as run:
        yield run


def new_files(run: Run, table: Table, rows: Mapping[str, Sequence[Mapping[str, object]]]) -> TableFiles:
    """A file for each site, written as a task writes it; columns that a row does not name are null.

    Args:
        run: the run.
        table: divided by site.
        rows: by site.
    """
    schema = to_arrow_schema(nullable(table.schema))
    folder = f"{TABLES}/{table.name}/{run.run_id}.{run.record.attempt}/{uuid4().hex}"
    files = []
    for site, of_site in rows.items():
        path = f"{folder}/part-{uuid4().hex}.parquet"
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pylist([{"site": site, **row} for row in of_site], schema), buffer)
        run.lake.objects.put(path, buffer.getvalue())
        files.append(DataFile(path, len(buffer.getvalue()), len(of_site), {"site": site}))
    return TableFiles(tuple(schema.names), tuple(files))


def put_users(run: Run, **by_site: str) -> None:
    """Write the table of users: a user of each letter, by site."""
    users = {site: [{"user_id": letter} for letter in letters] for site, letters in by_site.items()}
    run.put(USERS, new_files(run, USERS, users))


def users(run: RunTables) -> list[str]:
    """The users of a run, as ``site/user``."""
    tables = [pq.read_table(run.lake.path(path), columns=["site", "user_id"]) for path in paths(run)]
    rows = [row for table in tables for row in table.to_pylist()]
    return sorted(f"{row['site']}/{row['user_id']}" for row in rows)


def delta_table(lake: Lake) -> set[str]:
    """The files of the Delta table of users, relative to the lake."""
    return {uri.removeprefix(f"{lake.root}/") for uri in DeltaTable(lake.path(TABLES, USERS.name)).file_uris()}


def paths(run: RunTables) -> set[str]:
    """The files of a run's users, relative to the lake."""
    return {file.path for file in run.files(USERS).files}


def crash(lake: Lake, error: BaseException, before: Callable[[], object] = lambda: None) -> None:
    """A run, r3, that raises an error after it has written a table."""
    with opened(lake, "r3") as run:
        put_users(run, a="late")
        before()
        raise error


def stored_bytes(lake: Lake) -> dict[str, bytes]:
    """Every file of tables and runs."""
    root = Path(lake.root)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.glob("*s/**/*") if path.is_file()}


def finished(lake: Lake, run_id: str, corpus: str = "", **by_site: str) -> RunRecord:
    """A run that wrote users, and a note with its own name."""
    with opened(lake, run_id) as run:
        run.read_corpus(corpus)
        put_users(run, **by_site)
        run.write_entries(NOTES, [{"note": run_id}])
    return run.record


def published(lake: Lake, run_id: str) -> RunRecord:
    """Publish a run."""
    with held(lake) as leased:
        return publish(leased, run_id)


def write_published_metrics(folder: Path) -> None:
    """Write a lake with the published run monday, which has the metric ``METRIC``, and a failed one, tuesday."""
    objects = Folder(str(folder))
    log = RunLog(objects)
    monday = RunRecord("monday", "succeeded", "run", "hash", "seed: 1", "0.1.0", attempt=1, tables={METRICS.name: 1})
    metrics = f"{folder_of(monday)}/metrics.parquet"
    write_entries(objects, METRICS, [METRIC], metrics, run_id="monday")
    write_manifest(objects, monday, RunManifest(entries={METRICS.name: metrics}))
    claim(objects, 1)
    change_pointer(objects, 1, lambda pointer: pointer.model_copy(update={"record": log.append(monday)}))
    log.append(RunRecord("tuesday", "failed", "run", "hash", "seed: 1", "0.1.0", message="no disk"))
