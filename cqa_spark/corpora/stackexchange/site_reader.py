"""Reads the dumps of sites into the tables of a run, so that one that cannot be read harms no other.

Every record is counted: the rows and quarantined records of a file must be as many as its tables hold. Of several rows
with the same id, the first in its file stays, and the others go to quarantine.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.accounting import FileAccount, check_accounting, refuse_bad_fraction, refuse_incomplete
from cqa_spark.corpora.erasure import of_site, read_forgotten
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.probe import Access, probe
from cqa_spark.corpora.stackexchange.ranges import ByteRange, FileReading, OpenFile, Reading, open_range, read_files
from cqa_spark.corpora.stackexchange.tables import DUMP_TABLES, DumpTable, table_rows
from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS, UNANNOTATED
from cqa_spark.lake.table import Table, TableFiles
from cqa_spark.lake.writing import nullable
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.dumps import PEOPLE_COLUMNS, DumpSettings
from cqa_spark.spark.frames import persisted
from cqa_spark.spark.internals import to_arrow_schema

MOST_SELECTED = 1_000_000
"""Repeated ids up to which tasks look for them, some 30 MB. Of more, all rows pass through Spark."""

_ORIGIN = (
    T.StructField("byte_offset", T.LongType()),
    T.StructField("raw", T.StringType()),
    T.StructField("content", T.StringType()),
)
"""Where a row stands in its file, its text, and the hash of all its values, unknown attributes included."""

Ids = npt.NDArray[np.int64]


@dataclass
class SiteReader:
    """Reads the files of sites into the tables of a run.

    Attributes:
        tables: the tables of the sites.
        settings: tables to read, and error tolerance.
        access: how to read files.
        failed: why sites could not be read.
    """

    tables: SiteTables
    settings: DumpSettings
    access: Access
    failed: dict[str, InputError] = field(default_factory=dict)

    def read(self, files: Sequence[DumpFile]) -> list[Entry]:
        """Read the files of the sites; a site that cannot be read keeps its rows.

        Args:
            files: the files of the sites, and of others.

        Returns:
            The entries of ``INGESTED_FILES`` of the sites that were read.

        Raises:
            InputError: a site cannot be read, and ``dumps.require_every_site`` is set.
            ContractError: record counts disagree between the files and the tables.
        """
        if not self.tables.sites:
            return []
        self._require_posts_of_forgotten()
        opened = self._opened(
            [file for file in files if file.site in self.tables.sites and file.site not in self.failed]
        )
        readable = [file for file in opened if file.file.site not in self.failed]
        run, kinds = self.tables.run, [dump.table for dump in wanted_tables(self.settings)]
        destinations = {table.name: run.destination(table) for table in (*kinds, QUARANTINE)}
        reading = read_files(run.lake.spark, readable, self.access, destinations)
        for file in reading.files:
            if file.error is not None:
                self._fail(file.opened.file.site, file.error)
        return self._stored(reading) if self.failed.keys() < set(self.tables.sites) else []

    def _fail(self, site: str, error: InputError) -> None:
        if self.settings.require_every_site:
            raise error
        self.failed.setdefault(site, error)

    def _opened(self, files: Sequence[DumpFile]) -> list[OpenFile]:
        """The files of the wanted tables, without those of sites of which one cannot be opened or is truncated."""
        kinds = {dump.file: dump for dump in wanted_tables(self.settings)}
        wanted = []
        for file in files:
            if file.dump_table.file in kinds:
                wanted.append(replace(file, dump_table=kinds[file.dump_table.file]))
        with ThreadPoolExecutor() as threads:
            probes = [threads.submit(probe, file, self.access) for file in wanted]
        opened: list[OpenFile] = []
        incomplete: dict[str, list[str]] = {}
        for number, (file, probed) in enumerate(zip(wanted, probes, strict=True)):
            try:
                result = probed.result()
            except InputError as error:
                self._fail(file.site, error)
                continue
            opened.append(OpenFile(number, file, result))
            if result.complete is False and not self.settings.allow_incomplete:
                incomplete.setdefault(file.site, []).append(file.path)
        for site, paths in incomplete.items():
            try:
                refuse_incomplete(paths)
            except InputError as error:
                self._fail(site, error)
        return opened

    def _require_posts_of_forgotten(self) -> None:
        """Check that posts are read where something is forgotten: they tell whose posts other rows are about."""
        forgotten = read_forgotten(self.tables.run.lake.objects)
        if POSTS in [dump.table for dump in wanted_tables(self.settings)]:
            return
        for site in self.tables.sites:
            if of_site(forgotten, site):
                problem = f"{site} has forgotten users or posts, and only its posts tell which rows are about them"
                self._fail(site, InputError(problem, "name posts among --tables"))

    def _stored(self, reading: Reading) -> list[Entry]:
        """Put the rows of the sites that were read into the run's tables; return the entries of their files."""
        run = self.tables.run
        dumps = [dump.table for dump in wanted_tables(self.settings)]
        stored: dict[str, TableFiles] = {}
        for table in (*dumps, QUARANTINE):
            files = TableFiles(tuple(table.schema.names), tuple(reading.written.get(table.name, ())))
            stored[table.name] = files.without(self.failed)
        repeats: Counter[str] = Counter()
        for table in dumps:
            doubtful = [file for file in self._read_files(reading, table) if file.may_repeat_ids]
            settled = settle_repeats(run, table, stored[table.name], doubtful, self.access) if doubtful else None
            if settled is not None:
                sites = {file.opened.file.site for file in doubtful}
                stored[table.name] = stored[table.name].without(sites).united(settled.files)
                stored[QUARANTINE.name] = stored[QUARANTINE.name].united(settled.quarantine)
                repeats.update(settled.refused)
        accounts = []
        for site in self.tables.sites:
            own = [
                _account(file, stored[table.name], repeats)
                for table in dumps
                for file in self._read_files(reading, table)
                if file.opened.file.site == site
            ]
            if site not in self.failed and self._are_sound(site, own, stored[QUARANTINE.name]):
                accounts += own
        read = self.tables.of([site for site in self.tables.sites if site not in self.failed])
        self._keep_quarantine_of_other_kinds(read)
        for table in dumps:
            read.put(table, stored[table.name].without(self.failed))
            run.add_step(_step(table, accounts, reading))
        if stored[QUARANTINE.name].without(self.failed).files:
            read.add(QUARANTINE, stored[QUARANTINE.name].without(self.failed))
        return [account._asdict() for account in accounts]

    def _read_files(self, reading: Reading, table: Table) -> list[FileReading]:
        """The files of a table that were read, of sites that were read."""
        return [
            file
            for file in reading.files
            if file.opened.file.dump_table.table.name == table.name and file.opened.file.site not in self.failed
        ]

    def _are_sound(self, site: str, accounts: Sequence[FileAccount], quarantine: TableFiles) -> bool:
        """Check the counts of a site, and its share of quarantined records.

        Raises:
            ContractError: record counts disagree between the files and the tables.
        """
        totals = check_accounting([account._asdict() for account in accounts])
        stored = quarantine.rows_by_site()[site]
        if totals.rows_quarantined != stored:
            raise ContractError(
                f"record counts disagree: {totals.rows_quarantined} of {site} were quarantined, {stored} are stored",
                "keep the files and report it: the reader does not support their layout",
            )
        try:
            if stored:
                records = self.tables.run.lake.read(QUARANTINE, quarantine.of([site]))
                refuse_bad_fraction(totals, records, self.settings.max_bad_fraction)
        except InputError as error:
            self._fail(site, error)
            return False
        return True

    def _keep_quarantine_of_other_kinds(self, read: SiteTables) -> None:
        """Keep the published quarantine of the sites' files of kinds that are not read."""
        names = {dump.table.name for dump in wanted_tables(self.settings)}
        published = read.published_entries(INGESTED_FILES)
        if any(entry["rows_quarantined"] for entry in published):
            unread_files = {entry["source_file"] for entry in published if entry["table_name"] not in names}
            read.write(QUARANTINE, read.published(QUARANTINE).where(F.col("source_file").isin(*unread_files)))


def failures(failed: Mapping[str, InputError]) -> list[Entry]:
    """The entries of ``FAILED_SITES``, which are also printed."""
    for site, error in sorted(failed.items()):
        Terminal(stderr=True).line(f"warning: {site} was not read, its published rows stay: {error.problem}")
    return [{"site": site, "reason": error.problem} for site, error in sorted(failed.items())]


def wanted_tables(settings: DumpSettings) -> list[DumpTable]:
    """The kinds of files to read, as the settings want them read."""
    wanted = [dump for dump in DUMP_TABLES if not settings.tables or dump.table.name in settings.tables]
    withheld = [name.split(".") for name in PEOPLE_COLUMNS.difference(settings.people_columns)]
    return [
        replace(
            dump,
            invented_from=None if settings.keep_invented else dump.invented_from,
            withheld=frozenset(column for table, column in withheld if table == dump.table.name),
        )
        for dump in wanted
    ]


def _account(file: FileReading, stored: TableFiles, repeats: Mapping[str, int]) -> FileAccount:
    """The entry of ``INGESTED_FILES`` of a file; a site has one of each kind."""
    opened, (lines, rows, refused) = file.opened, file.counts
    return FileAccount(
        site=opened.file.site,
        source_file=opened.file.path,
        split=UNANNOTATED,
        table_name=opened.file.dump_table.table.name,
        lines=lines,
        not_rows=lines - rows - refused,
        is_complete=opened.probe.complete,
        rows_in=rows + refused,
        rows_out=stored.rows_by_site()[opened.file.site],
        rows_quarantined=refused + repeats.get(opened.file.path, 0),
    )


def _step(table: Table, accounts: Sequence[FileAccount], reading: Reading) -> StepRecord:
    own = [account for account in accounts if account.table_name == table.name]
    return StepRecord(
        table.name,
        rows_in=sum(account.rows_in for account in own),
        rows_out=sum(account.rows_out for account in own),
        rows_quarantined=sum(account.rows_quarantined for account in own),
        seconds=round(reading.seconds.get(table.name, 0), 3),
    )


@dataclass(frozen=True)
class Settled:
    """The rows of a table after repeated ids were resolved.

    Attributes:
        files: the rows of the sites whose files were examined.
        quarantine: the rows that are not the first of their id.
        refused: their number, by source file.
    """

    files: TableFiles
    quarantine: TableFiles
    refused: Mapping[str, int]


def settle_repeats(
    run: Run, table: Table, stored: TableFiles, readings: Sequence[FileReading], access: Access
) -> Settled | None:
    """Keep the first row of each id.

    Args:
        run: the run.
        table: the table.
        stored: the rows that were read.
        readings: the files that may repeat ids; the rows of other sites are not examined.
        access: how to read the files again.

    Returns:
        The rows that stay, and those that do not; None if no id is repeated.
    """
    sites = {reading.opened.file.site for reading in readings}
    rows = run.lake.read(table, stored.of(sites))
    key = list(table.key)
    with ExitStack() as held:
        (repeated,) = held.enter_context(persisted(rows.groupBy(*key).count().where("count > 1").select(*key)))
        count = repeated.limit(MOST_SELECTED + 1).count()
        if not count:
            return None
        ids: dict[str, Ids] | None = None
        if count <= MOST_SELECTED:
            ids_by_site: dict[str, list[int]] = {}
            for site, row_id in repeated.collect():
                ids_by_site.setdefault(site, []).append(int(row_id))
            ids = {site: np.array(site_ids, np.int64) for site, site_ids in ids_by_site.items()}
        copies = _copies(run, table, readings, access, ids).join(repeated, key, "left_semi")
        (settled,) = held.enter_context(persisted(keep_first(copies, table)))
        refused = settled.where(F.col("reason").isNotNull())
        first = settled.where(F.col("reason").isNull()).select(*rows.columns)
        others = rows.join(repeated, key, "left_anti").select(*rows.columns)
        files = run.new_files(table, others.unionByName(first))
        quarantine = run.new_files(QUARANTINE, refused.select(*QUARANTINE.schema.names))
        counts = refused.groupBy("source_file").count().collect()
        return Settled(files, quarantine, {row["source_file"]: row["count"] for row in counts})


def keep_first(copies: DataFrame, table: Table) -> DataFrame:
    """Find the first of several rows with the same id.

    Args:
        copies: the rows, with byte_offset and content, the hash of all that the file says of a row.
        table: their table.

    Returns:
        The rows with the column reason, which is null for the first.
    """
    by_key = Window.partitionBy(*table.key).orderBy("byte_offset")
    first = F.first(F.struct("byte_offset", "content")).over(by_key).alias("first")
    same = F.when(F.col("first.content") == F.col("content"), "the same").otherwise("another")
    text = F.format_string(
        "%s row has Id %s already: %s, byte %d", same, table.key[-1], "source_file", F.col("first.byte_offset")
    )
    reason = F.when(F.col("first.byte_offset") != F.col("byte_offset"), text)
    return copies.select("*", first).withColumn("reason", reason).drop("first", "content")


def _copies(
    run: Run, table: Table, readings: Iterable[FileReading], access: Access, ids: Mapping[str, Ids] | None
) -> DataFrame:
    """The rows with some ids, by site, as they are in their files; all rows if no ids are named."""
    parts = [
        replace(result.part, start=result.begin or 0, is_line_start=True)
        for reading in readings
        for result in reading.ranges
    ]
    spark = run.lake.spark
    tasks = spark.createDataFrame([(pickle.dumps(part),) for part in parts], "part binary").repartition(len(parts))
    schema = T.StructType([*nullable(table.schema), *_ORIGIN])
    return tasks.mapInArrow(partial(_read_copies, access, ids, schema), schema)


def _read_copies(
    access: Access, ids: Mapping[str, Ids] | None, schema: T.StructType, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    arrow_schema = to_arrow_schema(schema)
    for batch in batches:
        for pickled in batch.column(0).to_pylist():
            part: ByteRange = pickle.loads(pickled)
            file = part.opened.file
            with open_range(part, access) as reader:
                for block in reader.blocks():
                    for rows in block.rows:
                        is_selected = np.ones(len(rows.ids), np.bool_)
                        if ids is not None:
                            is_selected = np.isin(rows.ids, ids[file.site])
                        columns = {name: column.filter(pa.array(is_selected)) for name, column in rows.columns.items()}
                        spans = rows.spans[is_selected].tolist()
                        stored = table_rows(file.dump_table, columns, file.site, file.path)
                        hashes = [sha256(repr(row).encode()).hexdigest() for row in pa.table(columns).to_pylist()]
                        origin = [
                            pa.array([start for start, _ in spans], pa.int64()),
                            pa.array([reader.text_of(start, stop) for start, stop in spans], pa.string()),
                            pa.array(hashes, pa.string()),
                        ]
                        yield pa.RecordBatch.from_arrays([*stored.columns, *origin], schema=arrow_schema)
