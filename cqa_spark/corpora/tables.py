"""Community tables in files or in Spark's catalogue, with judgments by split or of whole sites, → those of a run."""

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Self

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import FileAccount, check_accounting, refuse_bad_fraction
from cqa_spark.corpora.erasure import leave_out_forgotten, read_forgotten
from cqa_spark.corpora.inputs import InputFile, refuse_repeated_paths
from cqa_spark.corpora.site_tables import SiteTables, changed_sites, fingerprints, input_record
from cqa_spark.corpora.source import AnnotatedFiles, CommunityTables, DumpFormat, Source
from cqa_spark.corpora.tables_conversion import (
    PROBLEM,
    RAW,
    Location,
    account,
    bytes_at,
    checked,
    converted,
    counts_by,
    good_rows,
    locate,
    print_thread_warnings,
    refused_rows,
    table_name,
    tables_at,
)
from cqa_spark.errors import InputError
from cqa_spark.lake.journal import Entry, JournalTable
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import FINGERPRINTS, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persist, persisted

TABLES: Mapping[str, Table] = {
    table.name: table for table in (POSTS, COMMENTS, USERS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)
}
"""The tables of a site that are read."""

ANNOTATED_TABLES = {table.name: table for table in (POSTS, COMMENTS, USERS, JUDGMENTS)}
"""The tables of annotated files."""


@dataclass(frozen=True)
class CommunityFiles(Source):
    """The tables of one or more sites; they are read if one of them has changed since the published run.

    Attributes:
        location_names: by table, a file, a folder of files, a Delta table, or a table of Spark's catalogue.
        site: site of all rows; None if the tables have a column ``site``.
        storage: object storage settings.
        max_bad_fraction: maximum share of quarantined rows.
        full: also read tables that the published run has read.
        dropped: sites of the lake to remove.
    """

    location_names: Mapping[str, str]
    site: str | None
    storage: ObjectStorageSettings
    max_bad_fraction: float
    full: bool = False
    dropped: Collection[str] = ()

    tables = (*TABLES.values(), QUARANTINE, FINGERPRINTS, INGESTED_FILES)

    @classmethod
    def of_settings(
        cls,
        location_names: Mapping[str, str] | Iterable[tuple[str, str]],
        settings: DumpJobSettings,
        *,
        full: bool = False,
    ) -> Self:
        """Tables with the site and the tolerance of a job's settings."""
        dumps, storage = settings.dumps, settings.object_storage
        return cls(dict(location_names), dumps.site, storage, dumps.max_bad_fraction, full, dumps.drop_site)

    def find(self) -> None:
        """Find the files of the tables."""
        self._locations()

    def is_unchanged(self, last: Snapshot, code_version: str) -> bool:
        """Whether the published run has read these tables with the same code, and has no site to remove."""
        published = last.entries_or_none(FINGERPRINTS)
        sites, files = self._compared(published, code_version, last.lake)
        return self._are_read(sites, files, published) and not {*self.dropped} & {entry["site"] for entry in published}

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int | None:
        """Unknown: the same bytes hold much more text in some formats than in others."""
        return None

    def ingest(self, run: Run) -> None:
        """Write the tables, quarantine and the counts of every table, or keep the published ones if they are equal."""
        tables = SiteTables.of_run(run, (), self.dropped)
        published = tables.last.entries_or_none(FINGERPRINTS) if tables.last is not None else []
        sites, files = self._compared(published, run.record.code_version, run.lake)
        are_read = self._are_read(sites, files, published)
        accounts: Sequence[Entry] = ()
        if not are_read:
            sites, files, accounts = self._read(tables)
        tables = tables.of(sites)
        run.add_inputs(list({entry["source_file"]: input_record(entry) for entry in files}.values()))
        tables.write_entries(FINGERPRINTS, [*self._of_other_tables(tables, FINGERPRINTS), *files])
        tables.keep_others(table for table in self.tables if isinstance(table, Table))
        kept = tables.published_entries if are_read else partial(self._of_other_tables, tables)
        tables.write_entries(INGESTED_FILES, [*kept(INGESTED_FILES), *accounts])
        tables.sign(files)

    def _of_other_tables(self, tables: SiteTables, entries: JournalTable) -> list[Entry]:
        """The published entries of the sites' tables that are not given, whose rows stay."""
        return [entry for entry in tables.published_entries(entries) if entry["table_name"] not in self.location_names]

    def _read(self, tables: SiteTables) -> tuple[Sequence[str], list[Entry], list[Entry]]:
        """Write the tables and quarantine.

        Returns:
            The sites of the rows, the entries of ``FINGERPRINTS``, and those of ``INGESTED_FILES``.
        """
        run, locations = tables.run, self._locations()
        typed = {name: self._rows(run.lake.spark, name, location) for name, location in locations.items()}
        if self.site is not None:
            sites = [self.site]
        else:
            named = [frame.where(F.col(PROBLEM).isNull()).select("site") for frame in typed.values()]
            sites = sorted(row["site"] for row in reduce(DataFrame.unionByName, named).distinct().collect())
        tables = tables.of(sites)
        files = list(
            self._fingerprints(sites, tables.published_entries(FINGERPRINTS), run.record.code_version, run.lake)
        )
        accounts: list[Entry] = []
        for name, frame in typed.items():
            with run.step(name) as step, persisted(checked(frame, TABLES[name])) as (rows,):
                accounts += write_checked(tables, TABLES[name], rows, locations[name].name)
                if TABLES[name] is POSTS:
                    print_thread_warnings(rows)
                step.rows_in, step.rows_out, step.rows_quarantined = check_accounting(
                    [account for account in accounts if account["table_name"] == name]
                )
        refuse_bad_fraction(check_accounting(accounts), tables.of_sites(QUARANTINE), self.max_bad_fraction)
        tables.keep_others(table for table in self.tables if isinstance(table, Table))
        read = [*[TABLES[name] for name in typed], QUARANTINE]
        return sites, files, leave_out_forgotten(run, sites, read, accounts)

    def _rows(self, spark: SparkSession, name: str, location: Location) -> DataFrame:
        """The rows of a table, as ``converted`` returns them."""
        return converted(location.read(spark), TABLES[name], self.site, location.name)

    def _compared(
        self, published: Sequence[Entry], code_version: str, lake: Lake
    ) -> tuple[Sequence[str], Sequence[Entry]]:
        """The sites that the tables had in the published run, and the tables' entries of ``FINGERPRINTS`` for them."""
        names = {name for location in self._locations().values() for name in location.files or (location.name,)}
        known_sites = {entry["site"] for entry in published if entry["source_file"] in names}
        sites = [self.site] if self.site is not None else sorted(known_sites)
        return sites, list(self._fingerprints(sites, published, code_version, lake))

    def _are_read(self, sites: Sequence[str], files: Sequence[Entry], published: Sequence[Entry]) -> bool:
        """Whether the published run has read the tables; one that has changed may be of any of their sites."""
        return bool(sites) and not self.full and not changed_sites(sites, files, published, self.location_names.keys())

    def _locations(self) -> dict[str, Location]:
        return {name: locate(location, self.storage) for name, location in self.location_names.items()}

    def _fingerprints(
        self, sites: Sequence[str], published: Sequence[Entry], reader: str, lake: Lake
    ) -> Iterator[Entry]:
        """The entries of ``FINGERPRINTS``; a table of the catalogue, whose content is unknown, is always another."""
        of_sites = [(site, name, location) for site in sites for name, location in self._locations().items()]
        files = [(site, file, name) for site, name, location in of_sites for file in location.files]
        yield from fingerprints(files, published, self.storage, reader, read_forgotten(lake.objects))
        for site, name, location in of_sites:
            if not location.files:
                yield {
                    "site": site, "source_file": location.name, "table_name": name, "reader": reader,
                    "bytes": 0, "modified_ns": None, "content": uuid.uuid4().hex,
                }  # fmt: skip


def tables_of_folder(settings: DumpJobSettings, *, full: bool = False) -> list[CommunityFiles]:
    """The tables at the locations that the settings name, by the names of their files and folders.

    Args:
        settings: folders of tables such as ``posts.parquet``, ``votes/`` and ``users.csv``, or these themselves.
        full: also read tables that the published run has read.

    Raises:
        InputError: two are named after one table, or none after ``posts``.
    """
    by_table: dict[str, str] = {}
    for location in tables_at(settings.dumps.input, TABLES.keys(), settings.object_storage):
        name = table_name(location)
        if by_table.setdefault(name, location) != location:
            raise InputError(
                f"{by_table[name]} and {location} are both named after the table {name}",
                f"put the files of one table into a folder: {name}/",
            )
    read = {name: location for name, location in by_table.items() if name in (settings.dumps.tables or TABLES)}
    if not read:
        raise InputError(
            f"no table in {', '.join(settings.dumps.input)}",
            f"name files or folders after the tables that they fill: {', '.join(TABLES)}, such as posts.parquet",
        )
    return [CommunityFiles.of_settings(read, settings, full=full)]


def planned_tables(settings: DumpJobSettings, *, full: bool = False) -> list[CommunityFiles]:
    """Find the tables and their files, for a dry run; arguments and errors as for ``tables_of_folder``."""
    sources = tables_of_folder(settings, full=full)
    for source in sources:
        source.find()
    return sources


COMMUNITY_TABLES = DumpFormat(
    "tables of sites: posts.parquet, votes.csv, users/, …",
    CommunityFiles.of_settings,
    tables_of_folder,
    planned_tables,
)


def write_checked(tables: SiteTables, table: Table, rows: DataFrame, source_file: str) -> Iterator[Entry]:
    """Write the rows of a table; rows whose site is unknown are those of the first one.

    Args:
        tables: of the run.
        table: the table to write.
        rows: as ``checked`` returns them.
        source_file: name of what the rows were read from.

    Yields:
        the entry of ``INGESTED_FILES`` of each site.
    """
    site = F.coalesce("site", F.lit(min(tables.sites)))
    tables.write(table, good_rows(rows, table))
    tables.add(QUARANTINE, tables.run.new_files(QUARANTINE, refused_rows(rows, site)))
    for name, counts in counts_by(rows, site).items():
        yield account(name, source_file, UNANNOTATED, table, counts)._asdict()


class AnnotatedTables(AnnotatedFiles):
    """Files and folders named after the tables that they fill, such as ``posts.parquet`` and ``judgments/``."""

    @cached_property
    def inputs(self) -> list[InputFile]:
        """The files and folders, one for a table of a split or more.

        Raises:
            InputError: one is missing or named twice, or a folder contains no table.
        """
        inputs = [
            InputFile(location, split, bytes_at(location, self.storage))
            for split, paths in self.by_split.items()
            for location in tables_at(paths, ANNOTATED_TABLES.keys(), self.storage)
        ]
        refuse_repeated_paths(inputs)
        return inputs

    def read(self, spark: SparkSession) -> CommunityTables:
        """Read the files.

        Raises:
            InputError: a column that identifies rows is missing.
        """
        frames = {name: self._rows(spark, table) for name, table in ANNOTATED_TABLES.items()}
        print_thread_warnings(frames[POSTS.name])
        accounts: list[FileAccount] = []
        for name, table in ANNOTATED_TABLES.items():
            accounts += self._accounts(table, frames[name])
        refused = [refused_rows(frame, F.lit(self.site)) for frame in frames.values()]
        return CommunityTables(
            **{name: good_rows(frames[name], table) for name, table in ANNOTATED_TABLES.items()},
            quarantine=reduce(DataFrame.unionByName, refused),
            ingested_files=spark.createDataFrame(accounts, INGESTED_FILES.schema),
        )

    def _rows(self, spark: SparkSession, table: Table) -> DataFrame:
        """The rows of all files of a table, persisted."""
        no_text = F.lit(None).cast("string")
        rows = table.empty(spark).select("*", no_text.alias(PROBLEM), no_text.alias(RAW))
        for file in self.inputs:
            if table_name(file.path) == table.name:
                frame = locate(file.path, self.storage).read(spark).withColumn("split", F.lit(file.split))
                rows = rows.unionByName(converted(frame.drop("site"), table, self.site, file.path))
        return persist(checked(rows, table))

    def _accounts(self, table: Table, frame: DataFrame) -> Iterator[FileAccount]:
        counts = counts_by(frame, F.col("source_file"))
        for file in self.inputs:
            if table_name(file.path) == table.name:
                yield account(self.site, file.path, file.split, table, counts.get(file.path, (0, 0)))
