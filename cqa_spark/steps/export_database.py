"""The served rankings and the findings of a run → tables of a Postgres database, all in one transaction.

Spark tasks write the rows as CSV, which passes through the driver into temporary tables by COPY. From these, the tables
are brought up to date by key: rows that are equal stay untouched, and rows that the run does not have are deleted.
Readers see the tables of the last delivery until the transaction commits, and then those of this one; they wait only
while a release that has new columns adds them.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.csv
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cqa_spark.errors import AnotherWriter, ConfigError, ContractError, EnvironmentProblem, InputError
from cqa_spark.lake.schemas.findings import FINDINGS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.settings.databases import Database
from cqa_spark.steps.export_rankings import open_findings, served_rankings

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

KEYS = {
    RANKINGS.name: ("site", "task", "query_id", "candidate_id"),
    FINDINGS.name: FINDINGS.key,
}
"""By delivered table, the columns of its primary key."""

_TYPES = {
    "string": "text", "int": "integer", "bigint": "bigint", "double": "double precision", "boolean": "boolean",
    "timestamp": "timestamptz",
}  # fmt: skip

_ENCRYPTION = ("sslmode", "sslrootcert", "sslcert", "sslkey")
"""Parameters of an address that the driver in Java and libpq share."""


class DatabaseTarget:
    """The schema of a database that deliveries share, as it was before one of them started.

    Args:
        database: a Postgres database; its user may create the schema, or owns it.
        schema: of the tables.

    Raises:
        ConfigError: the database is no Postgres.
        EnvironmentProblem: psycopg is not installed, or the database cannot be reached.
    """

    def __init__(self, database: Database, schema: str) -> None:
        if database.kind != "postgresql":
            raise ConfigError(
                f"{database.url}: rankings are delivered to Postgres alone",
                "write files for other databases: cqa export published --output FOLDER --format csv",
            )
        self._database, self._schema = database, schema
        with self._connection() as connection, connection.cursor() as cursor:
            self.publication = self._delivered(cursor)

    def refuse_older(self, run_id: str, publication: int) -> None:
        """Check that the database does not have a later publication.

        Raises:
            InputError: it has.
        """
        if self.publication > publication:
            raise InputError(
                f"the schema {self._schema} has publication {self.publication}, which is later than publication "
                f"{publication}, run {run_id}; nothing was written",
                f"deliver it in spite of that by its name: cqa export database {run_id}",
            )

    def deliver(self, snapshot: Snapshot, system: str, *, publication: int, alone: bool = False) -> Mapping[str, int]:
        """Bring the tables up to date with a run, in one transaction.

        Args:
            snapshot: the tables of the run.
            system: the system of the run.
            publication: number of the run's publication in the run log.
            alone: deliver all rankings of the system, served or not, and no others.

        Returns:
            The number of rows of each table.

        Raises:
            InputError: the run has no such rankings, or the schema has those of another lake.
            EnvironmentProblem: the database cannot be reached, or refuses what is to be written.
            ContractError: rows are missing; the database is unchanged.
            AnotherWriter: a delivery of a later publication was faster; its rows stay.
        """
        delivered = {RANKINGS.name: served_rankings(snapshot, system, alone=alone)}
        if snapshot.has(FINDINGS):
            delivered[FINDINGS.name] = open_findings(snapshot)
        record, lake, counts = snapshot.record, snapshot.lake.absolute_path(), {}
        with self._connection() as connection, connection.cursor() as cursor:
            for name, (rows, rows_by_site) in delivered.items():
                counts[name] = self._copied(cursor, name, rows)
                if counts[name] != sum(rows_by_site.values()):
                    raise ContractError(
                        f"{counts[name]} of {sum(rows_by_site.values())} rows of {name} reached the database",
                        "run cqa export database again; until then the tables are those of the last delivery",
                    )
            # Deliveries wait for each other; readers do not.
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('cqa.delivery'), hashtext(%s))", [self._schema])
            now = self._delivered(cursor)
            if now != self.publication and now > publication:
                raise AnotherWriter(
                    f"another delivery has put publication {now} into the schema {self._schema} meanwhile, which is "
                    f"later than run {record.run_id}; it stays",
                    f"to deliver run {record.run_id} in spite of that, run cqa export database {record.run_id} again",
                )
            if now >= 0:
                cursor.execute(f'SELECT lake FROM "{self._schema}".delivered')
                if (other := (cursor.fetchone() or [lake])[0]) != lake:
                    raise InputError(
                        f"the schema {self._schema} has the rankings of the lake {other}, which would be deleted",
                        "deliver this lake into a schema of its own: --namespace NAME; if the lake was moved: "
                        f"UPDATE {self._schema}.delivered SET lake = '{lake}'",
                    )
            cursor.execute("SELECT to_regnamespace(%s)", [f'"{self._schema}"'])
            if cursor.fetchone() == (None,):  # IF NOT EXISTS would ask for the right to create it all the same
                cursor.execute(f'CREATE SCHEMA "{self._schema}"')
            for name, (rows, _) in delivered.items():
                self._bring_up_to_date(cursor, name, rows.schema)
            for name in KEYS.keys() - delivered.keys():
                if self._columns(cursor, name):
                    cursor.execute(f'DELETE FROM "{self._schema}"."{name}"')
            cursor.execute(
                f'CREATE TABLE IF NOT EXISTS "{self._schema}".delivered '
                "(lake text NOT NULL, run_id text NOT NULL, publication bigint NOT NULL, system text NOT NULL, "
                "delivered_at timestamptz NOT NULL DEFAULT now())"
            )
            cursor.execute(f'DELETE FROM "{self._schema}".delivered')
            cursor.execute(
                f'INSERT INTO "{self._schema}".delivered (lake, run_id, publication, system) VALUES (%s, %s, %s, %s)',
                [lake, record.run_id, publication, system],
            )
        return counts

    def _delivered(self, cursor: Cursor[Any]) -> int:
        """The publication of the last delivery; -1 before the first one."""
        cursor.execute("SELECT to_regclass(%s)", [f'"{self._schema}".delivered'])
        if cursor.fetchone() == (None,):
            return -1
        cursor.execute(f'SELECT publication FROM "{self._schema}".delivered')
        row = cursor.fetchone()
        return -1 if row is None else int(row[0])

    def _columns(self, cursor: Cursor[Any], name: str) -> set[str]:
        """The columns of a table; none if it is not there."""
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s",
            [self._schema, name],
        )
        return {column for (column,) in cursor.fetchall()}

    def _copied(self, cursor: Cursor[Any], name: str, rows: DataFrame) -> int:
        """Copy rows into a temporary table, and return their number."""
        keys, listed = _quoted(KEYS[name]), _quoted(rows.schema.names)
        declared = ", ".join(f'"{column}" {kind}' for column, kind in _declared(rows.schema).items())
        cursor.execute(f'CREATE TEMPORARY TABLE "new_{name}" ({declared}, PRIMARY KEY ({keys})) ON COMMIT DROP')
        with cursor.copy(f'COPY "new_{name}" ({listed}) FROM STDIN (FORMAT csv)') as copy:
            for row in rows.mapInArrow(as_csv, T.StructType([T.StructField("csv", T.BinaryType())])).toLocalIterator():
                copy.write(bytes(row["csv"]))
        cursor.execute(f'SELECT count(*) FROM "new_{name}"')
        [count] = cursor.fetchone() or [0]
        return int(count)

    def _bring_up_to_date(self, cursor: Cursor[Any], name: str, schema: T.StructType) -> None:
        """Make the copied rows those of a table, which is created if it is not there."""
        table, columns = f'"{self._schema}"."{name}"', _declared(schema)
        keys, listed = _quoted(KEYS[name]), _quoted(columns)
        if present := self._columns(cursor, name):
            for column in columns.keys() - present:  # that a release has added
                cursor.execute(f'ALTER TABLE {table} ADD COLUMN "{column}" {columns[column]}')
        else:
            declared = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
            cursor.execute(f"CREATE TABLE {table} ({declared}, PRIMARY KEY ({keys}))")
        others = [column for column in columns if column not in KEYS[name]]
        old, new = (", ".join(f'{alias}."{column}"' for column in others) for alias in ("t", "excluded"))
        changes = ", ".join(f'"{column}" = excluded."{column}"' for column in others)
        cursor.execute(
            f'INSERT INTO {table} AS t ({listed}) SELECT {listed} FROM "new_{name}" '
            f"ON CONFLICT ({keys}) DO UPDATE SET {changes} WHERE ({old}) IS DISTINCT FROM ({new})"
        )
        of_key = " AND ".join(f't."{column}" = n."{column}"' for column in KEYS[name])
        cursor.execute(f'DELETE FROM {table} t WHERE NOT EXISTS (SELECT FROM "new_{name}" n WHERE {of_key})')

    @contextmanager
    def _connection(self) -> Iterator[Connection[Any]]:
        """A connection whose transaction is committed at the end of the block, or else rolled back."""
        import psycopg

        parts = urlsplit(self._database.url.removeprefix("jdbc:"))
        try:
            port = parts.port or 5432
        except ValueError:
            raise ConfigError(f"{self._database.url}: a delivery needs one server", "name it alone") from None
        # Encryption as the JDBC driver has it.
        given = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        encryption = {name: given[name] for name in _ENCRYPTION if name in given}
        if given.get("ssl", "false") != "false":
            encryption.setdefault("sslmode", "verify-full")
        refusals = (psycopg.OperationalError, psycopg.errors.InsufficientPrivilege)
        try:
            with psycopg.connect(
                psycopg.conninfo.make_conninfo(**encryption),
                host=parts.hostname,
                port=port,
                dbname=parts.path.lstrip("/"),
                user=self._database.user,
                password=self._database.password(),
                application_name="cqa export database",
            ) as connection:
                yield connection
        except psycopg.Error as error:
            said = str(error).strip().partition("\n")[0]
            remedy = (
                f"check the user and its password; it has to own the schema {self._schema}, or may create it: "
                "GRANT CREATE ON DATABASE"
                if isinstance(error, refusals)
                else f"see what the tables of the schema {self._schema} ask for, and deliver again"
            )
            raise EnvironmentProblem(f"{self._database.url}: {said}; nothing was delivered", remedy) from None


def _declared(schema: T.StructType) -> dict[str, str]:
    """The type of each column in Postgres."""
    return {field.name: _TYPES[field.dataType.simpleString()] for field in schema}


def _quoted(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def as_csv(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write rows as COPY reads them: texts are quoted, and a null is empty and without quotes.

    Args:
        batches: rows of any columns.

    Yields:
        A row for each batch: csv, its lines.
    """
    options = pyarrow.csv.WriteOptions(include_header=False)
    for batch in batches:
        written = io.BytesIO()
        pyarrow.csv.write_csv(batch, written, options)
        yield pa.record_batch({"csv": pa.array([written.getvalue()], pa.binary())})
