"""Stack Exchange dumps → the community tables of a run."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.dump_settings import DumpJobSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.archives.in_bucket import unpack_in_bucket
from cqa_spark.corpora.archives.limits import UnpackLimits
from cqa_spark.corpora.archives.unpacking import Unpacked, unpack
from cqa_spark.corpora.disk_space import require_space_for_dumps
from cqa_spark.corpora.fingerprints import dump_bytes, fingerprints, input_record
from cqa_spark.corpora.forgetting import leave_out_forgotten
from cqa_spark.corpora.site_tables import SiteTables, changed_sites
from cqa_spark.corpora.source import DumpFormat, Source
from cqa_spark.corpora.stackexchange.dump_files import DumpFile, find_archives, find_dump_files, of_archive, rounds
from cqa_spark.corpora.stackexchange.dump_stream import Access
from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES
from cqa_spark.corpora.stackexchange.file_probe import probe
from cqa_spark.corpora.stackexchange.ingest.site_reader import SiteReader, failures, wanted_tables
from cqa_spark.corpora.stackexchange.orphans import orphans
from cqa_spark.corpora.stackexchange.values import INVENTED
from cqa_spark.errors import InputError
from cqa_spark.lake.forgotten import read_forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import (
    FAILED_SITES,
    FINGERPRINTS,
    INGESTED_FILES,
    ORPHANS,
    QUARANTINE,
)
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.storage import Lake
from cqa_spark.object_store.locations import fetch_once
from cqa_spark.process.terminal import Terminal
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.spark.session import is_local_master, session_of


@dataclass(frozen=True)
class StackExchangeDump(Source):
    """One dump per site.

    Attributes:
        files: the files of the dumps.
        settings: tables to read, and error tolerance.
        full: also read sites whose files the published run has read.
    """

    files: Sequence[DumpFile]
    settings: DumpJobSettings
    full: bool = False

    tables = (*[dump.table for dump in DUMP_TABLES], QUARANTINE, FINGERPRINTS, INGESTED_FILES, ORPHANS, FAILED_SITES)

    def is_unchanged(self, last: Snapshot, code_version: str) -> bool:
        """Whether the published run has read these files, with the same code and settings, and drops no site."""
        published = last.entries_or_none(FINGERPRINTS)
        _, changed = self._compared(published, code_version, last.lake)
        return not changed and not set(self.settings.dumps.drop_site) & {entry["site"] for entry in published}

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int:
        """Bytes of XML of the sites that changed since the published run."""
        published = last.entries_or_none(FINGERPRINTS) if last is not None else []
        files, changed = self._compared(published, code_version, last.lake if last is not None else None)
        return dump_bytes(file for file in files if file["site"] in changed)

    def ingest(self, run: Run) -> None:
        """Read the sites that changed since the published run; one that cannot be read stays as it was published.

        Raises:
            InputError: no site that changed can be read, or one cannot and ``dumps.require_every_site`` is set.
        """
        named = SiteTables.of_run(run, self._sites(), self.settings.dumps.drop_site)
        names = self._names()
        published = named.published_entries(FINGERPRINTS)
        files, sites = self._compared(published, run.record.code_version, run.lake)
        run.add_inputs(list(map(input_record, files)))
        changed = named.of(sites)
        reader = SiteReader(changed, self.settings.dumps, access(self.settings))
        accounts, failed = reader.read(self.files), reader.failed
        if failed and len(failed) == len(changed.sites):
            raise next(iter(failed.values()))
        read = set(changed.sites) - failed.keys()

        def is_kept(entry: Entry) -> bool:
            return entry["site"] not in read or entry["table_name"] not in names

        as_before = [entry for entry in published if entry["site"] in failed or entry["table_name"] not in names]
        named.write_entries(FINGERPRINTS, [*as_before, *[entry for entry in files if entry["site"] not in failed]])
        tables = [*[dump.table for dump in DUMP_TABLES], QUARANTINE]
        named.keep_others(tables)
        kept = list(filter(is_kept, named.published_entries(INGESTED_FILES)))
        named.write_entries(INGESTED_FILES, [*kept, *leave_out_forgotten(run, read, tables, accounts)])
        named.of(read).sign(files)
        run_concurrently(lambda examine: examine(changed.of(sorted(read))), [_write_orphans, _name_unusual_posts])
        run.write_entries(FAILED_SITES, failures(failed))

    def _sites(self) -> list[str]:
        return sorted({file.site for file in self.files})

    def _names(self) -> set[str]:
        return {dump.table.name for dump in wanted_tables(self.settings.dumps)}

    def _compared(
        self, published: Collection[Entry], code_version: str, lake: Lake | None
    ) -> tuple[list[Entry], list[str]]:
        """The entries of ``FINGERPRINTS`` of the files, and the sites to read.

        Args:
            published: the published entries.
            code_version: of the code that reads the files.
            lake: the lake, whose list of what is forgotten counts; None if there is none yet.
        """
        settings = self.settings.dumps
        files = fingerprints(
            [(file.site, file.path, file.dump_table.table.name) for file in self.files],
            published,
            self.settings.object_storage,
            f"{code_version} keep_invented={settings.keep_invented} allow_incomplete={settings.allow_incomplete} "
            f"people_columns={','.join(sorted({*settings.people_columns}))}",
            read_forgotten(lake.objects) if lake is not None else (),
        )
        return files, self._sites() if self.full else changed_sites(self._sites(), files, published, self._names())


def stackexchange_dumps(settings: DumpJobSettings, *, full: bool = False) -> list[StackExchangeDump]:
    """Find the dumps named in the settings and unpack archives; several dumps of a site are in order of time.

    Args:
        settings: location of the dumps, and tables to read.
        full: also read sites whose files the published run has read.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    return [StackExchangeDump(files, settings, full) for files in rounds(dump_files(settings))]


def check_dumps(settings: DumpJobSettings) -> None:
    """Check the dumps on this machine: their names, and both ends of their files.

    Sites that cannot be read are named, as the job does.

    Raises:
        InputError: there is none, or none can be read.
    """
    local = [path for path in settings.dumps.input if not is_remote(path)]
    files = find_dump_files(local, settings.dumps.site)
    rounds(files)
    failed: dict[str, InputError] = {}
    for file in files:
        try:
            probe(file, access(settings))
        except InputError as error:
            failed.setdefault(file.site, error)
    if failed and failed.keys() == {file.site for file in files} and len(local) == len(settings.dumps.input):
        raise next(iter(failed.values()))
    for site, reason in sorted(failed.items()):
        Terminal(stderr=True).line(f"warning: {site} cannot be read: {reason.problem}")


STACKEXCHANGE = DumpFormat("dumps of Stack Exchange sites", StackExchangeDump, stackexchange_dumps, check_dumps)


def access(settings: DumpJobSettings) -> Access:
    """How the job reads files."""
    unpacking = settings.unpack
    return Access(settings.object_storage, UnpackLimits(unpacking.max_ratio, unpacking.max_total_bytes))


def dump_files(settings: DumpJobSettings) -> list[DumpFile]:
    """The files to read, archives unpacked, found before Spark starts.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    wanted, site = set(settings.dumps.tables), settings.dumps.site
    storage = settings.object_storage
    found = find_dump_files(settings.dumps.input, site, storage)
    archives = find_archives(settings.dumps.input, storage)
    for archive, unpacked in zip(archives, _unpack(archives, settings), strict=True):
        found += of_archive(unpacked.files, archive, site)
    files = [file for file in found if not wanted or file.dump_table.table.name in wanted]
    if not files:
        raise InputError(f"no file for the tables {', '.join(sorted(wanted))}", "change --tables or --input")
    return files


def _unpack(archives: Sequence[str], settings: DumpJobSettings) -> list[Unpacked]:
    """Unpack each archive, into a bucket if the staging folder is in one, else on this machine."""
    if not archives:
        return []
    storage, unpacking = settings.object_storage, settings.unpack
    limits = access(settings).limits
    staging = settings.staging(on_cluster=not is_local_master(settings.spark.master))
    if is_remote(staging):
        session = session_of(settings)
        return unpack_in_bucket(session, archives, staging, limits, storage, progress=_print_unpacked)
    fetched = Path(staging) / "fetched"
    here = [fetch_once(each, fetched, storage) if is_remote(each) else Path(each) for each in archives]
    return unpack(
        here,
        Path(staging),
        limits,
        workers=unpacking.workers,
        progress=_print_unpacked,
        require_space=partial(require_space_for_dumps, settings, packed=True),
    )


def _print_unpacked(unpacked: Unpacked) -> None:
    how = "unpacked before" if unpacked.reused else f"unpacked {unpacked.bytes / 1e6:,.0f} MB"
    Terminal(stderr=True).line(f"{PurePosixPath(unpacked.archive).name}: {how}")


def _name_unusual_posts(tables: SiteTables) -> None:
    if tables.sites and tables.run.has(POSTS):
        for notice in unusual_posts(tables.of_sites(POSTS)):
            Terminal(stderr=True).line(f"notice: {notice}")


def _write_orphans(tables: SiteTables) -> None:
    if not tables.sites:
        tables.write_entries(ORPHANS, [])
        return
    run = tables.run
    with run.step("orphans") as step:
        stored = {
            dump.table.name: run.files(dump.table).of(tables.sites) for dump in DUMP_TABLES if run.has(dump.table)
        }
        step.rows_out = tables.write_entries(ORPHANS, orphans(run.lake, stored))


FAR = 100
"""An id above so many times the median is far above the rest: ids grow with time, so the last is twice the median."""


def unusual_posts(posts: DataFrame) -> list[str]:
    """A sentence for every site with posts that the archive invented, and for every site with an id far above the rest.

    Args:
        posts: the table ``posts``.
    """
    number = F.col("post_id").cast("bigint")
    own = F.when(F.col("post_type") != INVENTED, number)
    by_site = posts.groupBy("site").agg(
        F.count_if(F.col("post_type") == INVENTED).alias("invented"),
        F.percentile_approx(own, 0.5).alias("median"),
        F.max(own).alias("largest"),
    )
    unusual = by_site.where((F.col("invented") > 0) | (F.col("largest") > FAR * F.col("median"))).orderBy("site")
    sentences = []
    for row in unusual.collect():
        if row["invented"]:
            sentences.append(
                f"{row['site']}: {row['invented']:,} posts were invented by the archive; their type is {INVENTED}, "
                "and nothing uses them; --keep-invented uses them"
            )
        if row["largest"] is not None and row["largest"] > FAR * row["median"]:
            sentences.append(
                f"{row['site']}: the post {row['largest']} has an id far above the rest, of which the median is "
                f"{row['median']}; it may not be the site's own"
            )
    return sentences
