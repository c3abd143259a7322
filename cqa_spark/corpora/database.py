"""The database of a forum → community tables: a query per table, of which later runs read the rows that changed.

A run asks for the keys of all rows, and for the rows above the watermark of the published run. Rows whose keys are gone
leave the lake, and rows that the lake lacks are read by their keys, whatever their watermark, such as those that were
quarantined or restored. Everything is read if the query, the code or the list of forgotten users and posts has changed.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.accounting import check_accounting, refuse_bad_fraction
from cqa_spark.corpora.erasure import forgotten_version, leave_out_forgotten, of_site, read_forgotten
from cqa_spark.corpora.site_tables import SiteTables
from cqa_spark.corpora.source import DumpFormat, Source
from cqa_spark.corpora.tables import TABLES, write_checked
from cqa_spark.corpora.tables_conversion import (
    NUMBER,
    PROBLEM,
    RAW,
    as_declared,
    checked,
    converted,
    print_thread_warnings,
)
from cqa_spark.errors import ConfigError
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import InputRecord
from cqa_spark.lake.schemas.accounting import FINGERPRINTS, INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.databases import Database, TableQuery, read_database
from cqa_spark.settings.dumps import DumpJobSettings
from cqa_spark.spark.frames import persist, persisted
from cqa_spark.spark.jdbc import database_errors, read_query, require_driver

_KEYS_TO_ASK_FOR = 10_000
"""Rows that are asked for by their keys; if the lake lacks more, all rows are read."""

_PLAIN = re.compile(r"[\w.:+ -]*")
"""Texts that every database reads alike within quotation marks."""


@dataclass(frozen=True)
class DatabaseTables(Source):
    """The tables of one forum, by the queries of its description.

    Attributes:
        database: the description.
        site: name of the forum.
        max_bad_fraction: maximum share of quarantined rows.
        full: read all rows, also those below the watermark.
        dropped: sites of the lake to remove.
    """

    database: Database
    site: str
    max_bad_fraction: float
    full: bool = False
    dropped: Collection[str] = ()

    tables = (*TABLES.values(), QUARANTINE, FINGERPRINTS, INGESTED_FILES)

    def find(self) -> None:
        """Check that the driver is there, and the file of the password."""
        require_driver(self.database)
        self.database.password()

    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int | None:
        """Unknown, because a database does not say it."""
        return None

    def ingest(self, run: Run) -> None:
        """Write the tables, quarantine and the counts of every table.

        Raises:
            InputError: the database refuses a query, a column is missing, or too many rows were quarantined.
            EnvironmentProblem: the database cannot be reached, or its driver is absent.
        """
        spark = run.lake.spark
        require_driver(self.database)
        tables = SiteTables.of_run(run, [self.site], self.dropped)
        forgotten = forgotten_version(of_site(read_forgotten(run.lake.objects), self.site))
        published = {entry["source_file"]: entry for entry in tables.published_entries(FINGERPRINTS)}
        files: list[Entry] = []
        accounts: list[Entry] = []
        for name, query in self.database.tables.items():
            table, source_file = TABLES[name], f"{self.database.url}#{name}"
            asked = sha256(query.model_dump_json().encode()).hexdigest()[:12]
            reader = f"{run.record.code_version}{forgotten}+{asked}"
            last = published.get(source_file)
            since = last["watermark"] if last and last["reader"] == reader and not self.full else None
            with database_errors(self.database), run.step(name) as step:
                ranges, watermark = self._ranges(spark, query), self._watermark(spark, query)
                rows = self._rows(spark, table, query, source_file, ranges, since, tables.published(table))
                with persisted(rows) as (rows,):
                    accounts += write_checked(tables, table, rows, source_file)
                    if table is POSTS:
                        print_thread_warnings(rows)
                    content = _content(rows, table)
                step.rows_in, step.rows_out, step.rows_quarantined = check_accounting(
                    [account for account in accounts if account["table_name"] == name]
                )
            entry = {"site": self.site, "source_file": source_file, "table_name": name, "bytes": 0, "modified_ns": None}
            files.append({**entry, "content": content, "reader": reader, "watermark": watermark})
        refuse_bad_fraction(check_accounting(accounts), tables.of_sites(QUARANTINE), self.max_bad_fraction)
        read = [TABLES[name] for name in self.database.tables]
        tables.keep_others(table for table in self.tables if isinstance(table, Table))
        for table in (COMMENTS, USERS):  # which nights read, and a forum may not have
            if not run.has(table):
                tables.write(table, table.empty(spark))
        accounts = leave_out_forgotten(run, [self.site], [*read, QUARANTINE], accounts)
        run.add_inputs([InputRecord(file["source_file"], UNANNOTATED, None, None) for file in files])
        for journal, entries in ((FINGERPRINTS, files), (INGESTED_FILES, accounts)):
            of_other_tables = [
                entry for entry in tables.published_entries(journal) if entry["table_name"] not in self.database.tables
            ]
            tables.write_entries(journal, [*of_other_tables, *entries])
        tables.sign(files)

    def _ranges(self, spark: SparkSession, query: TableQuery) -> tuple[str, int, int] | None:
        """The column of keys by whose ranges tasks read, with its smallest and its greatest value."""
        if query.key_range is None:
            return None
        asked = f"SELECT MIN({query.key_range}) AS low, MAX({query.key_range}) AS high FROM ({query.statement}) AS q"
        [row] = read_query(spark, self.database, asked).collect()
        return None if row["low"] is None else (query.key_range, int(row["low"]), int(row["high"]))

    def _watermark(self, spark: SparkSession, query: TableQuery) -> str | None:
        """The value from which the next run reads: the greatest one now; of times, the overlap before it."""
        if (column := query.watermark) is None:
            return None
        # Not by MAX, whose result has no type in SQLite.
        asked = (
            f"SELECT {column} FROM ({query.statement}) AS q WHERE {column} IS NOT NULL ORDER BY {column} DESC LIMIT 1"
        )
        newest = read_query(spark, self.database, asked)
        value, kind = F.col(column), newest.schema[column].dataType
        if isinstance(kind, T.TimestampType | T.TimestampNTZType):
            overlap = F.expr(f"INTERVAL '{self.database.overlap_minutes * 60:.0f}' SECOND")
            zone = "" if isinstance(kind, T.TimestampNTZType) else "+00:00"
            value = F.date_format(value.cast("timestamp") - overlap, "yyyy-MM-dd HH:mm:ss.SSSSSS")
            value = F.concat(value, F.lit(zone))
        texts = [row["text"] for row in newest.select(value.cast("string").alias("text")).collect()]
        return next((text for text in texts if _PLAIN.fullmatch(text)), None)

    def _rows(
        self,
        spark: SparkSession,
        table: Table,
        query: TableQuery,
        source_file: str,
        ranges: tuple[str, int, int] | None,
        since: str | None,
        published: DataFrame,
    ) -> DataFrame:
        """All rows of a table as ``checked`` returns them, of which those below the watermark come from the lake."""

        def read(condition: str = "") -> DataFrame:
            asked = f"SELECT * FROM ({query.statement}) AS q WHERE {condition}" if condition else query.statement
            frame = read_query(spark, self.database, asked, ranges=ranges)
            if query.watermark and query.watermark not in table.schema.names:
                frame = frame.drop(query.watermark)
            return checked(converted(frame.drop("site"), table, self.site, source_file), table)

        if since is None:
            return read()
        key = table.key[-1]
        asked = f"SELECT {key} FROM ({query.statement}) AS q"
        frame = read_query(spark, self.database, asked, ranges=ranges if query.key_range == key else None)
        kind = frame.schema[key].dataType
        keys = persist(frame.where(F.col(key).isNotNull()).select(as_declared(key, kind, T.StringType()).alias(key)))
        absent = _absent(keys, published, key)
        if absent is None:
            return read()
        changed = f"{query.watermark} >= {_literal(since)} OR {query.watermark} IS NULL OR {key} IS NULL"
        if absent:
            is_number = not isinstance(kind, T.StringType)
            listed = ", ".join(text if is_number else f"'{text}'" for text in absent)
            changed += f" OR {key} IN ({listed})"
        new = persist(read(changed))
        unchanged = published.join(keys, on=key, how="left_semi").join(new.select(key), on=key, how="left_anti")
        Terminal(stderr=True).line(
            f"{table.name}: {new.count():,} of {keys.count():,} rows were read, those that changed since {since}"
        )
        nothing = F.lit(None).cast("string")
        kept = unchanged.select(*table.schema.names, nothing.alias(PROBLEM), nothing.alias(RAW))
        return new.unionByName(kept.withColumn(NUMBER, F.lit(None).cast("bigint")))


def _literal(text: str) -> str:
    """The SQL of a watermark."""
    return text if re.fullmatch(r"-?\d+(\.\d+)?", text) else f"'{text}'"


def _absent(keys: DataFrame, published: DataFrame, key: str) -> Sequence[str] | None:
    """The keys that the lake lacks; None if they are too many, or no SQL can list them, or keys are repeated."""
    numbers = keys.agg(F.count(key).alias("rows"), F.countDistinct(key).alias("keys")).collect()[0]
    if numbers["rows"] != numbers["keys"]:  # only together do rows of one key show which of them is refused
        return None
    rows = keys.join(published.select(key), on=key, how="left_anti").limit(_KEYS_TO_ASK_FOR + 1).collect()
    absent = sorted(row[key] for row in rows)
    is_listed = len(absent) <= _KEYS_TO_ASK_FOR and all(_PLAIN.fullmatch(text) for text in absent)
    return absent if is_listed else None


def _content(rows: DataFrame, table: Table) -> str:
    """The number of rows, and a hash of all of them that does not depend on their order."""
    row_hash = F.xxhash64(
        F.to_json(F.struct(*table.schema.names)), PROBLEM, F.when(F.col(PROBLEM).isNotNull(), F.col(RAW))
    )
    found = rows.agg(F.count(F.lit(1)).alias("rows"), F.bit_xor(row_hash).alias("hash")).collect()[0]
    return f"{found['rows']}-{(found['hash'] or 0) & (2**64 - 1):016x}"


def database_of_settings(settings: DumpJobSettings, *, full: bool = False) -> list[DatabaseTables]:
    """The tables of the database that a job's input describes.

    Args:
        settings: with the path of the description as input.
        full: also read rows below the watermark.

    Raises:
        ConfigError: there are several inputs, a description has mistakes, or none names the site.
        EnvironmentProblem: the driver is absent.
    """
    dumps = settings.dumps
    if len(dumps.input) != 1:
        raise ConfigError(f"{len(dumps.input)} descriptions of databases", "name one: --input FILE.yaml")
    database = read_database(dumps.input[0])
    read = {name: query for name, query in database.tables.items() if name in (dumps.tables or TABLES)}
    source = of_database(
        database.model_copy(update={"tables": read}),
        dumps.site,
        dumps.max_bad_fraction,
        where=dumps.input[0],
        full=full,
        dropped=dumps.drop_site,
    )
    source.find()
    return [source]


def of_database(
    database: Database,
    site: str | None,
    max_bad_fraction: float,
    *,
    where: str,
    full: bool = False,
    dropped: Collection[str] = (),
) -> DatabaseTables:
    """The tables of a database, as the arguments of ``DatabaseTables`` say.

    Args:
        database: the description.
        site: name of the forum; None for that of the description.
        max_bad_fraction: maximum share of quarantined rows.
        where: path of the description, for messages.
        full: read all rows, also those below the watermark.
        dropped: sites of the lake to remove.

    Raises:
        ConfigError: there is no name of the forum, or no query of posts or of any table.
    """
    site = site or database.site
    if site is None:
        raise ConfigError(f"{where} names no site", "add site: forum.example.org to it, or give --site")
    if not database.tables:
        raise ConfigError(f"{where} has no query to read", "conf/databases/discourse.yaml is an example")
    return DatabaseTables(database, site, max_bad_fraction, full, dropped)


DATABASE = DumpFormat(
    "the database of a forum, by its description: conf/databases/discourse.yaml for example",
    lambda _, settings: database_of_settings(settings)[0],
    database_of_settings,
)
