"""Runs of two small tables, made without Spark in milliseconds, and what readers of their lake see."""

import io
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import duckdb
import duckdb_ext
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from small_runs import NOTES, new_files, no_spark, opened

from cqa_spark.lake import delta_tables
from cqa_spark.lake.lake import TABLES, Lake, LeasedLake
from cqa_spark.lake.lease import LASTS, Holder
from cqa_spark.lake.opening import hold
from cqa_spark.lake.publishing import publish
from cqa_spark.lake.run import Run
from cqa_spark.lake.snapshot import published_snapshot
from cqa_spark.lake.table import NO_FILES, Table, TableFiles, column

_COLUMNS = (column("site", "string", "the site"), column("number", "int", "of the run that wrote the row"))
ALPHA = Table("alpha", "Made for the test.", _COLUMNS, key=("site",), partition_by=("site",))
BETA = Table("beta", "Made for the test.", _COLUMNS, key=("site",), partition_by=("site",))
REPORTS = ("report.html", "report.queries.csv")

Content = dict[str, dict[str, int]]
"""The number of each site, by table; a table without rows is absent."""


class Clock:
    """A clock that every new holder puts forward, beyond the lease of the one before."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 3, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def two_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish the tables of this module; nothing waits for the disk, as no test cuts the power."""
    publish_tables(monkeypatch, ALPHA, BETA)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def publish_tables(monkeypatch: pytest.MonkeyPatch, *tables: Table) -> None:
    monkeypatch.setattr(delta_tables, "published_tables", lambda: list(tables))


@contextmanager
def taken_over(lake: Lake, clock: Clock) -> Iterator[LeasedLake]:
    """Hold the lake as a process on another machine, also where the last holder did not release it."""
    clock.now += LASTS
    holder = Holder(job="nightly", host="elsewhere", pid=42, machine="another", attempt=uuid4().hex)
    with hold(lake, holder, clock, sleep=lambda _: None) as leased:
        yield leased


def finished(
    lake: Lake,
    run_id: str,
    content: Content,
    *,
    resume: bool = False,
    fails: bool = False,
    reports: Sequence[str] = REPORTS,
) -> Run:
    """A run with these rows, and a note, a model and a report with its id; unchanged sites keep the published files."""
    base = published_snapshot(lake).tables if lake.objects.folders(TABLES) and _is_published(lake) else {}
    with opened(lake, run_id, resume=resume) as run:
        for table in (ALPHA, BETA):
            if table.name in content:
                run.put(table, _files(run, table, content[table.name], base.get(table.name, NO_FILES)))
        run.write_entries(NOTES, [{"note": run_id}])
        for name in (*reports, "model.bin"):
            lake.objects.put(run.artifact_path(name).removeprefix(lake.path("")), f"{name} of {run_id}".encode())
        run.add_artifact("model", run.artifact_path("model.bin"))
        if fails:
            raise RuntimeError("made up")
    return run


def copied(lake: Lake, to: Path) -> Lake:
    """A copy of a lake in a folder, in place of what is there."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(lake.root, to)
    return Lake(no_spark, str(to))


def published(lake: Lake, clock: Clock, *runs: tuple[str, Content]) -> None:
    """Finish and publish runs, as a night each."""
    for run_id, content in runs:
        with taken_over(lake, clock) as leased:
            finished(leased, run_id, content)
            publish(leased, run_id)


def _is_published(lake: Lake) -> bool:
    stored = lake.objects.read("published.json")
    return stored is not None and b'"record": null' not in stored.data


def _files(run: Run, table: Table, content: Mapping[str, int], base: TableFiles) -> TableFiles:
    unchanged = [site for site, number in content.items() if base.fingerprints.get(site) == str(number)]
    kept = base.without(base.sites - set(unchanged))
    rows = {site: [{"number": number}] for site, number in content.items() if site not in unchanged}
    made = new_files(run, table, rows)
    return kept.united(made).with_fingerprints({site: str(number) for site, number in content.items()})


def ours(lake: Lake) -> Content:
    """What this project's readers see; a published run has all its files."""
    snapshot = published_snapshot(lake)
    assert [entry["note"] for entry in snapshot.entries(NOTES)] == [snapshot.record.run_id]
    for path, size in snapshot.manifest.all_sizes().items():
        stored = lake.objects.read(path)
        assert stored is not None, path
        assert len(stored.data) == size, path
    found = {name: _rows(lake, [file.path for file in files.files]) for name, files in snapshot.tables.items()}
    return {name: rows for name, rows in found.items() if rows}


def delta_rs(lake: Lake) -> Content:
    """What deltalake's readers see."""
    found = {}
    for name, place in _delta_tables(lake):
        uris = DeltaTable(place, storage_options=delta_tables.delta_options(lake.root, lake.storage)).file_uris()
        found[name] = _rows(lake, [f"{TABLES}/{uri.partition(f'/{TABLES}/')[2]}" for uri in uris])
    return {name: rows for name, rows in found.items() if rows}


def duck_db(lake: Lake) -> Content:
    """What DuckDB's Delta extension sees, which uses another implementation of the protocol."""
    found = {}
    for name, place in _delta_tables(lake):
        rows = duck_db_with_delta().execute("SELECT site, number FROM delta_scan(?)", [place]).fetchall()
        assert len(dict(rows)) == len(rows)
        found[name] = dict(rows)
    return {name: rows for name, rows in found.items() if rows}


OUTSIDERS = (delta_rs, duck_db)


def seen(lake: Lake) -> Content:
    """What all readers see, where all of them see the same."""
    content = ours(lake)
    for reader in OUTSIDERS if "://" not in lake.root else (delta_rs,):
        assert reader(lake) == content, reader.__name__
    return content


def report(lake: Lake) -> set[str]:
    """The runs whose report the lake shows."""
    stored = (lake.objects.read(name) for name in REPORTS)
    return {each.data.decode().rpartition(" ")[2] for each in stored if each is not None}


def _delta_tables(lake: Lake) -> Iterator[tuple[str, str]]:
    for table in delta_tables.published_tables():
        if lake.objects.sizes(f"{TABLES}/{table.name}/_delta_log/"):
            yield table.name, delta_tables._location(lake, table)


def _rows(lake: Lake, paths: list[str]) -> dict[str, int]:
    rows: list[dict[str, object]] = []
    for path in paths:
        stored = lake.objects.read(path)
        assert stored is not None, path
        rows += pq.read_table(io.BytesIO(stored.data)).to_pylist()
    found = {str(row["site"]): int(str(row["number"])) for row in rows}
    assert len(found) == len(rows), "a row is seen twice"
    return found


_CONNECTIONS: list[duckdb.DuckDBPyConnection] = []


def duck_db_with_delta() -> duckdb.DuckDBPyConnection:
    """A connection with the Delta extension of the package index; DuckDB would download another one."""
    if not _CONNECTIONS:
        connection = duckdb.connect()
        connection.execute("SET extension_directory = ?", [str(Path(duckdb_ext.__path__[0], "extensions"))])
        connection.execute("LOAD delta")
        _CONNECTIONS.append(connection)
    return _CONNECTIONS[0]
