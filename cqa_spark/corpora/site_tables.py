"""The tables of a run that reads the dumps of some sites of a lake, and the fingerprints by which sites have changed.

A site whose files all have the fingerprints of the published run is not read again; its published rows stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.erasure import Forgotten, forgotten_version, of_site
from cqa_spark.corpora.inputs import text_bytes
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import InputRecord
from cqa_spark.lake.schemas import declared_tables
from cqa_spark.lake.schemas.community import UNANNOTATED
from cqa_spark.lake.snapshot import Snapshot, published_of
from cqa_spark.lake.table import Table, TableFiles, fingerprint_of
from cqa_spark.object_store.locations import files_below
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote


@dataclass(frozen=True)
class SiteTables:
    """The tables of a run that reads some sites and keeps the published rows of the others.

    Attributes:
        run: the run.
        last: the published run of its corpus; None before the first publication.
        sites: the sites that the run reads.
        dropped: the sites whose published rows are not kept.
    """

    run: Run
    last: Snapshot | None
    sites: Collection[str]
    dropped: Collection[str] = ()

    @classmethod
    def of_run(cls, run: Run, sites: Collection[str], dropped: Collection[str] = ()) -> SiteTables:
        """The tables of a run that starts from the published run of its corpus."""
        return cls(run, published_of(run.lake, run.record.corpus), sites, dropped)

    def write(self, table: Table, frame: DataFrame) -> int:
        """Replace the rows of the sites in the run's table, else in the published one; return the number of rows."""
        return self.run.replace(table, frame, sites=self.sites, base=self._base_of(table))

    def put(self, table: Table, files: TableFiles) -> None:
        """Replace the files of the sites."""
        self.run.put(table, self._base_of(table).without(self.sites).united(files))

    def add(self, table: Table, files: TableFiles) -> None:
        """Add files to the run's table, else to the published rows of other sites."""
        if self.run.has(table):
            self.run.put(table, self.run.files(table).united(files))
        else:
            self.put(table, files)

    def write_entries(self, table: JournalTable, entries: Iterable[Entry]) -> int:
        """Write the entries of the sites and the published ones of other sites; return the number of the former."""
        entries = list(entries)
        entries_of_other_sites = [entry for entry in self._published(table) if entry["site"] not in self.sites]
        self.run.write_entries(table, [*entries_of_other_sites, *entries])
        return len(entries)

    def published_entries(self, table: JournalTable) -> list[Entry]:
        """The published entries of the sites."""
        return [entry for entry in self._published(table) if entry["site"] in self.sites]

    def of(self, sites: Collection[str]) -> SiteTables:
        """The tables for some of the sites."""
        return replace(self, sites=sites)

    def of_sites(self, table: Table) -> DataFrame:
        """The run's rows of the sites; none if it does not have the table."""
        return self._of_sites(self.run, table)

    def published(self, table: Table) -> DataFrame:
        """The published rows of the sites."""
        return self._of_sites(self.last, table)

    def keep_others(self, tables: Iterable[Table]) -> None:
        """Keep the published files of tables that the run does not write."""
        for table in tables:
            if self.last is not None and self.last.has(table) and not self.run.has(table):
                self.run.put(table, self.last.files(table).without(self.dropped))

    def sign(self, files: Iterable[Entry]) -> None:
        """Give the rows of the run's tables their fingerprints.

        Args:
            files: the entries of ``FINGERPRINTS`` of the files that were read.
        """
        parts: dict[str, dict[str, list[str]]] = {}
        for file in files:
            if file["site"] in self.sites:
                read = [file["reader"], str(file["bytes"]), file["content"]]
                parts.setdefault(file["table_name"], {}).setdefault(file["site"], []).append(fingerprint_of(*read))
        for name, by_site in parts.items():
            table = declared_tables()[name]
            assert isinstance(table, Table), "files of dumps fill tables"
            signed = {site: fingerprint_of(*sorted(read)) for site, read in by_site.items()}
            self.run.put(table, self.run.files(table).with_fingerprints(signed))

    def _base_of(self, table: Table) -> TableFiles:
        if self.run.has(table) or self.last is None:
            return self.run.files_or_none(table)
        return self.last.files_or_none(table).without(self.dropped)

    def _published(self, table: JournalTable) -> list[Entry]:
        published = self.last.entries_or_none(table) if self.last is not None else []
        return [entry for entry in published if entry["site"] not in self.dropped]

    def _of_sites(self, tables: Run | Snapshot | None, table: Table) -> DataFrame:
        if tables is None or not tables.has(table):
            return table.empty(self.run.lake.spark)
        return tables.read(table).where(F.col("site").isin(*self.sites))


def changed_sites(
    sites: Iterable[str], files: Iterable[Entry], published: Iterable[Entry], tables: Collection[str]
) -> list[str]:
    """The sites with a file that the published run has not read, or has read with other code or settings.

    Args:
        sites: the sites to compare.
        files: the entries of ``FINGERPRINTS`` of the files to read.
        published: the published entries.
        tables: names of the tables that are read; the files of others stay as they are.
    """
    now, before = _contents(files), _contents(entry for entry in published if entry["table_name"] in tables)
    return [site for site in sites if now.get(site) != before.get(site)]


def _contents(files: Iterable[Entry]) -> Mapping[str, set[tuple[object, ...]]]:
    """By site, the contents of its files with their tables and readers."""
    contents: dict[str, set[tuple[object, ...]]] = {}
    for file in files:
        content = file["table_name"], file["reader"], file["bytes"], file["content"]
        contents.setdefault(file["site"], set()).add(content)
    return contents


def fingerprints(
    files: Sequence[tuple[str, str, str]],
    published: Iterable[Entry],
    storage: ObjectStorageSettings,
    reader: str,
    forgotten: Sequence[Forgotten] = (),
) -> list[Entry]:
    """The entries of ``FINGERPRINTS`` of some files, without Spark.

    An object in a bucket has its entity tag. A local file is hashed, unless its path, size and time are those of a file
    that the published run read.

    Args:
        files: site, path and table of each file, local or in a bucket.
        published: the published entries.
        storage: object storage settings.
        reader: the code that reads the files, and its settings.
        forgotten: users and posts whose rows are left out.

    Raises:
        InputError: a file cannot be read.
    """
    hashes = {(entry["source_file"], entry["bytes"], entry["modified_ns"]): entry["content"] for entry in published}
    folders = sorted({path.rpartition("/")[0] for _, path, _ in files if is_remote(path)})
    objects = {stored.location: stored for folder in folders for stored in files_below(folder, storage)}

    def identify(path: str) -> dict[str, object]:
        try:
            if is_remote(path):
                return {"bytes": objects[path].size, "modified_ns": None, "content": objects[path].version}
            status = Path(path).stat()
            size, modified_ns = status.st_size, status.st_mtime_ns
            content = hashes.get((path, size, modified_ns)) or _sha256(path, size, modified_ns)
            return {"bytes": size, "modified_ns": modified_ns, "content": content}
        except (KeyError, OSError) as error:
            raise InputError(f"cannot read {path}: {error}", "check the file and its storage") from error

    with ThreadPoolExecutor() as threads:
        contents = threads.map(identify, [path for _, path, _ in files])
    readers = {site: reader + forgotten_version(of_site(forgotten, site)) for site, _, _ in files}
    return [
        {"site": site, "source_file": path, "table_name": table, "reader": readers[site], **content}
        for (site, path, table), content in zip(files, contents, strict=True)
    ]


def input_record(entry: Entry) -> InputRecord:
    """The record of a file that a run reads, from its entry of ``FINGERPRINTS``."""
    is_local = entry["modified_ns"] is not None
    return InputRecord(entry["source_file"], UNANNOTATED, entry["bytes"], entry["content"] if is_local else None)


def dump_bytes(files: Iterable[Entry]) -> int:
    """Bytes of the text of files, from their entries of ``FINGERPRINTS``; an estimate for compressed files."""
    return text_bytes((file["source_file"], file["bytes"]) for file in files)


@cache
def _sha256(path: str, size: int, modified_ns: int) -> str:
    """The hash of a file, which has another size or time if its content changes."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
