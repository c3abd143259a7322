"""Stack Exchange dumps → the community tables of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pyspark.sql import functions as F

from cqa_spark.config.dump_settings import DumpJobSettings, DumpSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.accounting import FileAccount, check_accounting, refuse_bad_fraction, refuse_incomplete
from cqa_spark.corpora.archives.in_bucket import UnpackedInBucket, unpack_in_bucket
from cqa_spark.corpora.archives.limits import UnpackLimits
from cqa_spark.corpora.archives.unpacked import Unpacked
from cqa_spark.corpora.archives.unpacking import unpack
from cqa_spark.corpora.inputs import UNANNOTATED
from cqa_spark.corpora.source import Source
from cqa_spark.corpora.stackexchange.dump_files import DumpFile, find_archives, find_dump_files, of_archive, rounds
from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES, DumpTable
from cqa_spark.corpora.stackexchange.file_probe import probe
from cqa_spark.corpora.stackexchange.ingest.changed_lines import KnownFiles, known_files, read_changed_lines
from cqa_spark.corpora.stackexchange.ingest.dump_table import read_dump_tables
from cqa_spark.corpora.stackexchange.ingest.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.ingest.unusual_posts import print_unusual_posts
from cqa_spark.corpora.stackexchange.lines import OpenFile
from cqa_spark.corpora.stackexchange.orphans import orphans
from cqa_spark.errors import InputError
from cqa_spark.lake.publishing import published_run
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import InputRecord
from cqa_spark.lake.schemas.accounting import ID_BLOCKS, INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.object_store.remote_files import fetch_once
from cqa_spark.process.terminal import Terminal
from cqa_spark.spark.session import is_local_master, session_of


@dataclass(frozen=True)
class StackExchangeDump(Source):
    """One dump per site.

    Attributes:
        files: the files of the dumps.
        settings: tables to read, and error tolerance.
        read_again: read all lines, including those that the published run has read.
        reads_counters: also read lines in which only counters changed since the published run, such as page views.
    """

    files: Sequence[DumpFile]
    settings: DumpJobSettings
    read_again: bool = False
    reads_counters: bool = True

    tables = (*[dump.table for dump in DUMP_TABLES], QUARANTINE, ID_BLOCKS, INGESTED_FILES, ORPHANS)

    def find(self) -> None:
        """Nothing to do: ``stackexchange_dumps`` finds the files, because it unpacks archives."""

    def ingest(self, run: Run) -> None:
        """Read changes since the published run, table by table, then count orphans."""
        settings = self.settings.dumps
        opened = [OpenFile(file, probe(run.lake.spark, file)) for file in self.files]
        if not settings.allow_incomplete:
            refuse_incomplete([each.file.path for each in opened if each.probe.complete is False])
        run.add_inputs([InputRecord(each.file.path, UNANNOTATED, each.probe.size, None) for each in opened])
        tables = SiteTables.of_run(run, sorted({file.site for file in self.files}))
        wanted = _wanted(settings)
        names = [dump.table.name for dump in wanted]
        _keep_quarantine_of_others(tables, names)
        # Another version of the code may parse the same line differently.
        last = published_run(run.lake)
        read_again = self.read_again or last is None or last.code_version != run.record.code_version
        files = dict(enumerate(opened))
        with known_files(
            tables, files, read_again=read_again, reads_counters=self.reads_counters, small=settings.incremental_from
        ) as known:
            read = _read(wanted, opened, tables, known)
        accounts = [account._asdict() for account in read]
        kept = [each for each in tables.published_entries(INGESTED_FILES) if each["table_name"] not in names]
        tables.write_entries(INGESTED_FILES, [*kept, *accounts])
        stored = tables.of_sites(QUARANTINE) if tables.has(QUARANTINE) else tables.empty(QUARANTINE)
        refused = stored.where(F.col("source_file").isin([each["source_file"] for each in accounts]))
        refuse_bad_fraction(check_accounting(accounts), refused, settings.max_bad_fraction)
        tables.keep_others([dump.table for dump in DUMP_TABLES])
        if tables.has(POSTS) and not tables.stay([POSTS]):
            print_unusual_posts(tables.of_sites(POSTS))
        _write_orphans(tables)


def stackexchange_dumps(
    settings: DumpJobSettings, *, read_again: bool = False, reads_counters: bool = True
) -> list[StackExchangeDump]:
    """Find the dumps named in the settings and unpack archives; several dumps of a site are in order of time.

    Args:
        settings: location of the dumps, and tables to read.
        read_again: read all lines, including those that the published run has read.
        reads_counters: also read lines in which only counters changed since the published run.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    again = read_again or settings.dumps.read_again
    return [StackExchangeDump(files, settings, again, reads_counters) for files in rounds(dump_files(settings))]


def dump_files(settings: DumpJobSettings) -> list[DumpFile]:
    """The files to read, archives unpacked, found before Spark starts.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    wanted, site = set(settings.dumps.tables), settings.dumps.site
    storage = settings.object_storage
    found = find_dump_files(settings.dumps.input, site, storage)
    archives = find_archives(settings.dumps.input, storage)
    for archive, tables in zip(archives, _unpack(archives, settings), strict=True):
        found += of_archive(tables, archive, site)
    files = [file for file in found if not wanted or file.dump_table.table.name in wanted]
    if not files:
        raise InputError(f"no file for the tables {', '.join(sorted(wanted))}", "change --tables or --input")
    return files


def _unpack(archives: Sequence[str], settings: DumpJobSettings) -> list[Sequence[str]]:
    """Unpack each archive, into a bucket if the staging folder is in one, else on this machine."""
    if not archives:
        return []
    storage, unpacking = settings.object_storage, settings.unpack
    limits = UnpackLimits(unpacking.max_ratio, unpacking.max_total_bytes)
    staging = settings.staging(on_cluster=not is_local_master(settings.spark.master))
    if is_remote(staging):
        session = session_of(settings)
        there = unpack_in_bucket(session, archives, staging, limits, storage, progress=_print_unpacked_in_bucket)
        return [each.files for each in there]
    fetched = Path(staging) / "fetched"
    here = [fetch_once(each, fetched, storage) if is_remote(each) else Path(each) for each in archives]
    unpacked = unpack(here, Path(staging), limits, workers=unpacking.workers, progress=_print_unpacked)
    return [list(map(str, each.files)) for each in unpacked]


def _print_unpacked(unpacked: Unpacked) -> None:
    _print_outcome(unpacked.source.name, unpacked.bytes, reused=unpacked.reused)


def _print_unpacked_in_bucket(unpacked: UnpackedInBucket) -> None:
    _print_outcome(PurePosixPath(unpacked.archive).name, unpacked.bytes, reused=unpacked.reused)


def _print_outcome(archive: str, size: int, *, reused: bool) -> None:
    how = "unpacked before" if reused else f"unpacked {size / 1e6:,.0f} MB"
    Terminal(stderr=True).line(f"{archive}: {how}")


def _wanted(settings: DumpSettings) -> list[DumpTable]:
    """The kinds of files to read, as the settings want them read."""
    wanted = [dump for dump in DUMP_TABLES if not settings.tables or dump.table.name in settings.tables]
    return [replace(dump, invented_from=None) for dump in wanted] if settings.keep_invented else wanted


def _write_orphans(tables: SiteTables) -> None:
    dumped = [dump.table for dump in DUMP_TABLES]
    if tables.stay(dumped):
        tables.write_entries(ORPHANS, tables.published_entries(ORPHANS))
        return
    with tables.run.step("orphans") as step:
        step.rows_out = tables.write_entries(ORPHANS, orphans(tables.stored(dumped)))


def _keep_quarantine_of_others(tables: SiteTables, read: Sequence[str]) -> None:
    """Keep the published quarantine of files that are not read again; without one, there is nothing to write."""
    accounts = tables.published_entries(INGESTED_FILES)
    if any(each["rows_quarantined"] for each in accounts):
        kept = {each["source_file"] for each in accounts if each["table_name"] not in read}
        tables.write(QUARANTINE, tables.published(QUARANTINE).where(F.col("source_file").isin(*kept)))
    else:
        tables.keep_others([QUARANTINE])


def _read(
    dumps: Sequence[DumpTable], opened: Sequence[OpenFile], tables: SiteTables, known: KnownFiles
) -> list[FileAccount]:
    """Read changed lines of known files, and all lines of others."""
    by_dump = [
        (dump, {number: each for number, each in enumerate(opened) if each.file.dump_table.file == dump.file})
        for dump in dumps
    ]
    some = [(dump, of_dump) for dump, files in by_dump if (of_dump := known.of(files))]
    accounts = read_changed_lines(tables, some, known)
    done = {(each.table_name, each.site) for each in accounts}
    whole = []
    for dump, files in by_dump:
        sites = {site for site in tables.sites if (dump.table.name, site) not in done}
        if sites:
            others = {number: each for number, each in files.items() if each.file.site in sites}
            whole.append((dump, tables.of(sites), others))
    return [*accounts, *read_dump_tables(tables, whole)]
