"""Reads the dumps of sites, so that one that cannot be read harms no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import functions as F

from cqa_spark.config.dump_settings import PEOPLE_COLUMNS, DumpSettings
from cqa_spark.corpora.accounting import FileAccount, check_accounting, refuse_bad_fraction, refuse_incomplete
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.corpora.stackexchange.dump_tables import DUMP_TABLES, DumpTable
from cqa_spark.corpora.stackexchange.file_probe import probe
from cqa_spark.corpora.stackexchange.ingest.dump_table import read_dump_tables
from cqa_spark.corpora.stackexchange.lines import OpenFile
from cqa_spark.errors import InputError
from cqa_spark.lake.forgotten import of_site, read_forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.accounting import (
    INGESTED_FILES,
    QUARANTINE,
)
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.process.terminal import Terminal


@dataclass(frozen=True)
class SiteReader:
    """Reads the files of sites into the tables of a run.

    Attributes:
        files: the files of the dumps.
        settings: tables to read, and error tolerance.
    """

    files: Sequence[DumpFile]
    settings: DumpSettings

    def read(self, tables: SiteTables, failed: dict[str, InputError]) -> list[Entry]:
        """Read sites; if this fails, the halves of them one after the other, down to the sites that cannot be read.

        Args:
            tables: the tables of the sites.
            failed: receives the reason by site.

        Returns:
            The entries of ``INGESTED_FILES`` of the sites that were read.

        Raises:
            InputError: a site cannot be read, and ``dumps.require_every_site`` is set.
        """
        sites = list(tables.sites)
        if not sites:
            return []
        try:
            with tables.run.undone_on_failure():
                accounts = self._read_together(tables)
        except InputError as error:
            if self.settings.require_every_site:
                raise
            if len(sites) == 1:
                failed[sites[0]] = error
                return []
            middle = len(sites) // 2
            halves = (tables.of(part) for part in (sites[:middle], sites[middle:]))
            return [account for half in halves for account in self.read(half, failed)]
        return accounts

    def _read_together(self, tables: SiteTables) -> list[Entry]:
        """Read some sites; return the entries of ``INGESTED_FILES``.

        Raises:
            InputError: a file is truncated or cannot be read, or too many records of a site were quarantined.
            ContractError: record counts disagree between the files and the tables.
        """
        settings = self.settings
        self._require_posts_of_forgotten(tables)
        opened = [
            OpenFile(file, probe(tables.run.lake.spark, file)) for file in self.files if file.site in tables.sites
        ]
        if not settings.allow_incomplete:
            refuse_incomplete([each.file.path for each in opened if each.probe.complete is False])
        accounts = [account._asdict() for account in _read(wanted_tables(settings), opened, tables)]
        for site in tables.sites:
            own_accounts = [account for account in accounts if account["site"] == site]
            totals = check_accounting(own_accounts)
            if totals.rows_quarantined:
                is_of_files = F.col("source_file").isin([each["source_file"] for each in own_accounts])
                quarantined = tables.of([site]).of_sites(QUARANTINE).where(is_of_files)
                refuse_bad_fraction(totals, quarantined, settings.max_bad_fraction)
        return accounts

    def _require_posts_of_forgotten(self, tables: SiteTables) -> None:
        """Check that posts are read where something is forgotten: they tell whose posts other rows are about.

        Raises:
            InputError: they are not.
        """
        forgotten = read_forgotten(tables.run.lake.objects)
        sites = [site for site in tables.sites if of_site(forgotten, site)]
        if sites and POSTS not in [dump.table for dump in wanted_tables(self.settings)]:
            raise InputError(
                f"{', '.join(sites)} has forgotten users or posts, and only its posts tell which rows are about them",
                "name posts among --tables",
            )


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


def _read(dumps: Sequence[DumpTable], opened: Sequence[OpenFile], tables: SiteTables) -> list[FileAccount]:
    """Read all files of the sites, and keep the published quarantine of their files of other kinds."""
    if not tables.sites:
        return []
    published = tables.published_entries(INGESTED_FILES)
    if any(each["rows_quarantined"] for each in published):
        names = {dump.table.name for dump in dumps}
        others = {each["source_file"] for each in published if each["table_name"] not in names}
        tables.write(QUARANTINE, tables.published(QUARANTINE).where(F.col("source_file").isin(*others)))
    by_dump = [
        (dump, {number: each for number, each in enumerate(opened) if each.file.dump_table.file == dump.file})
        for dump in dumps
    ]
    return read_dump_tables(tables, by_dump)
