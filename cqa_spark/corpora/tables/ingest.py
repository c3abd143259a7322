"""Community tables in files or in Spark's catalogue → the community tables of a run."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.corpora.accounting import check_accounting, refuse_bad_fraction
from cqa_spark.corpora.fingerprints import fingerprints, input_record
from cqa_spark.corpora.forgetting import leave_out_forgotten
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.source import Source
from cqa_spark.corpora.tables.checked_rows import account, checked, counts_by, good_rows, refused_rows
from cqa_spark.corpora.tables.conversion import PROBLEM, converted
from cqa_spark.corpora.tables.locations import Location, locate
from cqa_spark.lake.forgotten import read_forgotten
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.accounting import FINGERPRINTS, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.lake.table import Table
from cqa_spark.spark.persistence import persisted

TABLES: Mapping[str, Table] = {
    table.name: table for table in (POSTS, COMMENTS, USERS, VOTES, BADGES, TAGS, POST_LINKS, POST_HISTORY, JUDGMENTS)
}
"""The tables that can be given."""


@dataclass(frozen=True)
class CommunityFiles(Source):
    """The tables of one or more sites.

    Attributes:
        given: by table, a file, a folder of files, a Delta table, or a table of Spark's catalogue.
        site: site of all rows; None if the tables have a column ``site``.
        storage: object storage settings.
        max_bad_fraction: maximum share of quarantined rows.
    """

    given: Mapping[str, str]
    site: str | None
    storage: ObjectStorageSettings
    max_bad_fraction: float

    tables = (*TABLES.values(), QUARANTINE, FINGERPRINTS, INGESTED_FILES)

    def find(self) -> None:
        """Find the files of the tables."""
        self._locations()

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> None:
        """Unknown: the same bytes hold much more text in some formats than in others."""

    def ingest(self, run: Run) -> None:
        """Write the tables, quarantine and the counts of every table that was given."""
        locations = self._locations()
        typed = {
            name: converted(location.read(run.lake.spark), TABLES[name], self.site, location.name)
            for name, location in locations.items()
        }
        sites = [self.site] if self.site is not None else _sites(typed.values())
        tables = SiteTables.of_run(run, sites)
        files = list(self._fingerprints(sites, locations, tables.published_entries(FINGERPRINTS), run))
        run.add_inputs(list({entry["source_file"]: input_record(entry) for entry in files}.values()))
        tables.write_entries(FINGERPRINTS, files)
        accounts: list[Entry] = []
        for name, frame in typed.items():
            with run.step(name) as step, persisted(checked(frame, TABLES[name])) as (rows,):
                accounts += _write(tables, TABLES[name], rows, locations[name])
                step.rows_in, step.rows_out, step.rows_quarantined = check_accounting(
                    [each for each in accounts if each["table_name"] == name]
                )
        refuse_bad_fraction(check_accounting(accounts), tables.of_sites(QUARANTINE), self.max_bad_fraction)
        tables.keep_others([*TABLES.values(), QUARANTINE])
        read = [*[TABLES[name] for name in typed], QUARANTINE]
        tables.write_entries(INGESTED_FILES, leave_out_forgotten(run, sites, read, accounts))
        tables.sign(files)

    def _locations(self) -> dict[str, Location]:
        return {name: locate(location, self.storage) for name, location in self.given.items()}

    def _fingerprints(
        self, sites: Sequence[str], locations: Mapping[str, Location], published: Sequence[Entry], run: Run
    ) -> Iterator[Entry]:
        """The entries of ``FINGERPRINTS``; a table of the catalogue, whose content is unknown, is always another."""
        reader, forgotten = run.record.code_version, read_forgotten(run.lake.objects)
        of_sites = [(site, name, location) for site in sites for name, location in locations.items()]
        files = [(site, file, name) for site, name, location in of_sites for file in location.files]
        yield from fingerprints(files, published, self.storage, reader, forgotten)
        for site, name, location in of_sites:
            if not location.files:
                yield {
                    "site": site, "source_file": location.name, "table_name": name, "reader": reader,
                    "bytes": 0, "modified_ns": None, "content": uuid.uuid4().hex,
                }  # fmt: skip


def _sites(frames: Iterable[DataFrame]) -> list[str]:
    named = [frame.where(F.col(PROBLEM).isNull()).select("site") for frame in frames]
    return sorted(row["site"] for row in reduce(DataFrame.unionByName, named).distinct().collect())


def _write(tables: SiteTables, table: Table, rows: DataFrame, location: Location) -> Iterator[Entry]:
    """Write the rows of a table, and count them by site; rows whose site is unknown are those of the first one."""
    site = F.coalesce("site", F.lit(min(tables.sites)))
    tables.write(table, good_rows(rows, table))
    tables.add(QUARANTINE, tables.run.new_files(QUARANTINE, refused_rows(rows, site)))
    for name, counts in counts_by(rows, site).items():
        yield account(name, location.name, UNANNOTATED, table, counts)._asdict()
