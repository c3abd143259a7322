"""Reads the dumps of sites, so that one that cannot be read harms no other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from pyspark.sql import functions as F

from cqa_spark.config.dump_settings import PEOPLE_COLUMNS, DumpSettings
from cqa_spark.corpora.accounting import FileAccount, check_accounting, refuse_bad_fraction, refuse_incomplete
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.byte_ranges import OpenFile
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.dump_stream import Access
from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES, DumpTable
from cqa_spark.corpora.stackexchange.file_probe import probe
from cqa_spark.corpora.stackexchange.ingest.range_reading import FileReading, Reading, read_files
from cqa_spark.corpora.stackexchange.ingest.repeated_rows import settle_repeats
from cqa_spark.errors import ContractError, InputError
from cqa_spark.lake.forgotten import of_site, read_forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import POSTS, UNANNOTATED
from cqa_spark.lake.table import Table
from cqa_spark.lake.table_files import TableFiles
from cqa_spark.process.terminal import Terminal


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
        readable = [each for each in opened if each.file.site not in self.failed]
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
        wanted = [replace(file, dump_table=kinds[file.dump_table.file]) for file in files
                  if file.dump_table.file in kinds]  # fmt: skip
        with ThreadPoolExecutor() as threads:
            probes = [threads.submit(probe, file, self.access) for file in wanted]
        opened, incomplete = [], dict[str, list[str]]()
        for number, (file, found) in enumerate(zip(wanted, probes, strict=True)):
            try:
                opened.append(OpenFile(number, file, found.result()))
            except InputError as error:
                self._fail(file.site, error)
                continue
            if opened[-1].probe.complete is False and not self.settings.allow_incomplete:
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
                self._fail(
                    site,
                    InputError(
                        f"{site} has forgotten users or posts, and only its posts tell which rows are about them",
                        "name posts among --tables",
                    ),
                )

    def _stored(self, reading: Reading) -> list[Entry]:
        """Put the rows of the sites that were read into the run's tables; return the entries of their files."""
        run = self.tables.run
        dumps = [dump.table for dump in wanted_tables(self.settings)]
        stored = {table.name: _files(table, reading).without(self.failed) for table in (*dumps, QUARANTINE)}
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
            others = {entry["source_file"] for entry in published if entry["table_name"] not in names}
            read.write(QUARANTINE, read.published(QUARANTINE).where(F.col("source_file").isin(*others)))


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


def _files(table: Table, reading: Reading) -> TableFiles:
    return TableFiles(tuple(table.schema.names), tuple(reading.written.get(table.name, ())))


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
