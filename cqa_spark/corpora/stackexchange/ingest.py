"""Stack Exchange dumps → the community tables of a run.

Only sites whose files changed since the published run are read. What was read is examined: references to rows that the
dump does not have are counted, and posts that may not be the site's own are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.corpora.disk_space import require_space_for_dumps
from cqa_spark.corpora.erasure import leave_out_forgotten, read_forgotten
from cqa_spark.corpora.inputs import UnpackLimits, open_stored
from cqa_spark.corpora.site_tables import SiteTables, changed_sites, dump_bytes, fingerprints, input_record
from cqa_spark.corpora.source import DumpFormat, Source
from cqa_spark.corpora.stackexchange.dump_files import DumpFile, find_archives, find_dump_files, of_archive, rounds
from cqa_spark.corpora.stackexchange.probe import Access, probe
from cqa_spark.corpora.stackexchange.site_reader import SiteReader, failures, wanted_tables
from cqa_spark.corpora.stackexchange.tables import DUMP_TABLES
from cqa_spark.corpora.stackexchange.values import DELETED, INVENTED
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import FAILED_SITES, FINGERPRINTS, INGESTED_FILES, ORPHANS, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table, TableFiles
from cqa_spark.object_store.locations import fetch_once
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.frames import run_concurrently
from cqa_spark.spark.session import is_local_master, session_of

if TYPE_CHECKING:
    from cqa_spark.corpora.unpacking import Unpacked

FAR = 100
"""An id above so many times the median is far above the rest: ids grow with time, so the last is twice the median."""

_ROWS = 1 << 20
"""Referring rows that are looked up at a time."""

_TASKS_PER_CORE = 4


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
    task_imports = ("numba",)

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

        # A site that failed keeps its published files and their fingerprints, and so do the tables that are not read.
        fingerprints_kept = [
            entry for entry in published if entry["site"] in failed or entry["table_name"] not in names
        ]
        fingerprints_read = [entry for entry in files if entry["site"] not in failed]
        named.write_entries(FINGERPRINTS, [*fingerprints_kept, *fingerprints_read])
        tables = [*[dump.table for dump in DUMP_TABLES], QUARANTINE]
        named.keep_others(tables)
        accounts_kept = []
        for entry in named.published_entries(INGESTED_FILES):
            if entry["site"] not in read or entry["table_name"] not in names:
                accounts_kept.append(entry)
        named.write_entries(INGESTED_FILES, [*accounts_kept, *leave_out_forgotten(run, read, tables, accounts)])
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


def planned_dumps(settings: DumpJobSettings, *, full: bool = False) -> list[StackExchangeDump]:
    """Find the dumps for a dry run, which unpacks nothing; arguments and errors as for ``stackexchange_dumps``."""
    storage = settings.object_storage
    files = find_dump_files(settings.dumps.input, settings.dumps.site, storage)
    archives = find_archives(settings.dumps.input, storage)
    wanted = _of_wanted_tables(files, settings) if files or not archives else []
    found = [StackExchangeDump(dump, settings, full) for dump in rounds(wanted)]
    refuse_unreadable(found, settings)
    if archives:
        Terminal(stderr=True).line("warning: the input was not searched: archives are unpacked by the job")
        return [StackExchangeDump((), settings, full)]
    return found


def refuse_unreadable(dumps: Iterable[StackExchangeDump], settings: DumpJobSettings) -> None:
    """Look at both ends of the files on this machine, before Spark starts; name sites that cannot be read.

    Raises:
        InputError: no site can be read.
    """
    failed: dict[str, InputError] = {}
    files = [file for dump in dumps for file in dump.files]
    for file in files:
        if is_remote(file.path):
            continue
        try:
            probe(file, access(settings))
        except InputError as error:
            failed.setdefault(file.site, error)
    if failed and failed.keys() == {file.site for file in files}:
        raise next(iter(failed.values()))
    for site, reason in sorted(failed.items()):
        Terminal(stderr=True).line(f"warning: {site} cannot be read: {reason.problem}")


STACKEXCHANGE = DumpFormat("dumps of Stack Exchange sites", StackExchangeDump, stackexchange_dumps, planned_dumps)


def access(settings: DumpJobSettings) -> Access:
    """How the job reads files."""
    unpacking = settings.unpack
    return Access(settings.object_storage, UnpackLimits(unpacking.max_ratio, unpacking.max_total_bytes))


def dump_files(settings: DumpJobSettings) -> list[DumpFile]:
    """The files to read, archives unpacked, found before Spark starts.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    site, storage = settings.dumps.site, settings.object_storage
    files = find_dump_files(settings.dumps.input, site, storage)
    archives = find_archives(settings.dumps.input, storage)
    for archive, unpacked in zip(archives, _unpack(archives, settings), strict=True):
        files += of_archive(unpacked.files, archive, site)
    return _of_wanted_tables(files, settings)


def _of_wanted_tables(files: Iterable[DumpFile], settings: DumpJobSettings) -> list[DumpFile]:
    wanted = set(settings.dumps.tables)
    files = [file for file in files if not wanted or file.dump_table.table.name in wanted]
    if not files:
        raise InputError(f"no file for the tables {', '.join(sorted(wanted))}", "change --tables or --input")
    return files


def _unpack(archives: Sequence[str], settings: DumpJobSettings) -> list[Unpacked]:
    """Unpack each archive, into a bucket if the staging folder is in one, else on this machine."""
    if not archives:
        return []
    from cqa_spark.corpora.unpacking import unpack, unpack_in_bucket  # slow import of py7zr

    storage, unpacking = settings.object_storage, settings.unpack
    limits = access(settings).limits
    staging = settings.staging(on_cluster=not is_local_master(settings.spark.master))
    if is_remote(staging):
        session = session_of(settings)
        return unpack_in_bucket(session, archives, staging, limits, storage, progress=_print_unpacked)
    fetched = Path(staging) / "fetched"
    local = [fetch_once(path, fetched, storage) if is_remote(path) else Path(path) for path in archives]
    return unpack(
        local,
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


def unusual_posts(posts: DataFrame) -> list[str]:
    """Sentences about sites with deleted posts, with posts that the archive invented, or with an id far above the rest.

    Args:
        posts: the table ``posts``.
    """
    number = F.expr("try_cast(post_id AS bigint)")
    own = F.when(F.col("post_type") != INVENTED, number)
    by_site = posts.groupBy("site").agg(
        F.count_if(F.col("post_type") == DELETED).alias("deleted"),
        F.count_if(F.col("post_type") == INVENTED).alias("invented"),
        F.percentile_approx(own, 0.5).alias("median"),
        F.max(own).alias("largest"),
    )
    is_far = F.col("largest") > FAR * F.col("median")
    unusual = by_site.where((F.col("deleted") > 0) | (F.col("invented") > 0) | is_far)
    sentences = []
    for row in sorted(unusual.collect(), key=itemgetter("site")):
        if row["deleted"]:
            sentences.append(
                f"{row['site']}: deleted posts of the dump: {row['deleted']:,}; their type is {DELETED}, and nothing "
                "uses them"
            )
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


@dataclass(frozen=True)
class Reference:
    """A column that points to rows of another table.

    Attributes:
        table: the table with the column.
        column: the column.
        target: the referenced table, by the last column of its key.
    """

    table: Table
    column: str
    target: Table


REFERENCES = (
    Reference(POSTS, "thread_id", POSTS),
    Reference(POSTS, "accepted_answer_id", POSTS),
    Reference(POSTS, "user_id", USERS),
    Reference(COMMENTS, "post_id", POSTS),
    Reference(COMMENTS, "user_id", USERS),
    Reference(VOTES, "post_id", POSTS),
    Reference(BADGES, "user_id", USERS),
    Reference(POST_LINKS, "post_id", POSTS),
    Reference(POST_LINKS, "related_post_id", POSTS),
    Reference(POST_HISTORY, "post_id", POSTS),
)


@dataclass(frozen=True)
class _ReferringFile:
    """A file whose rows may refer to others of its site.

    Attributes:
        site: the site.
        reference: the reference.
        path: of the file.
        referred: paths of the files of the target.
    """

    site: str
    reference: Reference
    path: str
    referred: tuple[str, ...]


def orphans(lake: Lake, tables: Mapping[str, TableFiles]) -> list[Entry]:
    """Count the rows with dangling references, in tasks that read the ids alone.

    Args:
        lake: the lake.
        tables: the files of the tables that were read, by name; references to or from other tables are skipped.

    Returns:
        Entries of ``ORPHANS``: one for each site and reference with orphans.
    """
    files = sorted(_referring_files(lake, tables), key=lambda file: (file.site, file.reference.target.name))
    if not files:
        return []
    context = lake.spark.sparkContext
    tasks = context.parallelize(files, min(len(files), _TASKS_PER_CORE * context.defaultParallelism))
    dangling = tasks.mapPartitions(partial(_count_dangling, lake.storage)).collect()
    counts: Counter[tuple[str, Reference]] = Counter()
    for file, count in zip(files, dangling, strict=True):
        counts[file.site, file.reference] += count
    entries = [
        {
            "site": site,
            "table_name": reference.table.name,
            "reference": reference.column,
            "missing_in": reference.target.name,
            "rows": count,
        }
        for (site, reference), count in counts.items()
        if count
    ]
    return sorted(entries, key=lambda entry: [entry[name] for name in ORPHANS.key])


def _referring_files(lake: Lake, tables: Mapping[str, TableFiles]) -> Iterator[_ReferringFile]:
    """The files of each site with rows that may refer to others, once for each reference."""
    by_site: dict[tuple[str, str | None], list[str]] = {}
    for name, stored in tables.items():
        for file in stored.files:
            by_site.setdefault((name, file.site), []).append(lake.absolute_path(file.path))
    for reference in REFERENCES:
        if {reference.table.name, reference.target.name} <= tables.keys():
            for site in sorted(tables[reference.table.name].rows_by_site()):
                referred = tuple(by_site.get((reference.target.name, site), ()))
                for path in by_site[reference.table.name, site]:
                    yield _ReferringFile(site, reference, path, referred)


def _count_dangling(storage: ObjectStorageSettings, files: Iterable[_ReferringFile]) -> Iterator[int]:
    """The number of rows that refer to none of the target, for each file.

    Args:
        storage: object storage settings.
        files: the files, those to the same target adjacent; its ids, 8 bytes each, are held in memory.
    """
    for (target, referred), to_target in groupby(files, key=lambda file: (file.reference.target, file.referred)):
        parts = [np.empty(0, np.int64)]
        for path in referred:
            parts += _ids(path, target.key[-1], storage)
        target_ids = np.concatenate(parts)
        for file in to_target:
            referring = _ids(file.path, file.reference.column, storage)
            yield sum(int(np.isin(ids, target_ids, invert=True).sum()) for ids in referring)


def _ids(path: str, column: str, storage: ObjectStorageSettings) -> Iterator[npt.NDArray[np.int64]]:
    """The ids in a column of a file, which are whole numbers of 64 bits, without nulls."""
    with open_stored(path, storage) as stored:
        for batch in pq.ParquetFile(stored).iter_batches(_ROWS, columns=[column]):
            yield pc.cast(batch.column(0).drop_null(), "int64").to_numpy()
