"""A table: its declaration (name, columns with meaning and unit, key), and its data files in one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError
from cqa_spark.spark.frames import without_rows

_ATOMIC_TYPES = {
    atomic.simpleString(): atomic
    for atomic in (T.StringType(), T.IntegerType(), T.LongType(), T.DoubleType(), T.BooleanType(), T.TimestampType())
}


def column(name: str, data_type: T.DataType | str, comment: str) -> T.StructField:
    """Declare a nullable column.

    Args:
        name: column name, snake case.
        data_type: Spark type, or the SQL name of an atomic type, such as ``"bigint"``.
        comment: meaning and unit, stored as the column's comment.
    """
    if isinstance(data_type, str):
        data_type = _ATOMIC_TYPES[data_type]
    return T.StructField(name, data_type, True, {"comment": comment})


def required(name: str, data_type: T.DataType | str, comment: str) -> T.StructField:
    """Declare a non-nullable column; same arguments as ``column``."""
    field = column(name, data_type, comment)
    return T.StructField(name, field.dataType, False, field.metadata)


@dataclass(frozen=True)
class Table:
    """The declaration of a table of the lake.

    Attributes:
        name: folder name in the lake.
        about: description, one sentence.
        columns: declared columns, in stored order.
        key: columns that identify a row.
        partition_by: columns of strings that divide the table: a file has rows with one value of each.
        varies: whether runs write different sets of columns; readers see the columns of their declaration, and such a
            table is not among the published ones.
    """

    name: str
    about: str
    columns: tuple[T.StructField, ...]
    key: tuple[str, ...]
    partition_by: tuple[str, ...] = ()
    varies: bool = False

    @property
    def schema(self) -> T.StructType:
        """The declared Spark schema."""
        return T.StructType(list(self.columns))

    def conform(self, frame: DataFrame) -> DataFrame:
        """Select exactly the declared columns, in order, with their comments.

        Raises:
            ContractError: columns are missing, undeclared or of another type; the message names all of them.
        """
        actual = {field.name: field.dataType.simpleString() for field in frame.schema}
        declared = {field.name: field.dataType.simpleString() for field in self.columns}
        problems = [f"missing {name}" for name in declared if name not in actual]
        problems += [f"undeclared {name}" for name in actual if name not in declared]
        problems += [
            f"{name} is {actual[name]}, declared {declared[name]}"
            for name in declared
            if name in actual and actual[name] != declared[name]
        ]
        if problems:
            raise ContractError(
                f"table {self.name}: {'; '.join(problems)}",
                "end the transform with a select of the declared schema, or change the declaration in "
                "cqa_spark/lake/schemas",
            )
        return frame.select(*[F.col(field.name).alias(field.name, metadata=field.metadata) for field in self.columns])

    def empty(self, spark: SparkSession) -> DataFrame:
        """An empty frame of the declared schema."""
        return without_rows(spark, self.schema)

    def complete(self, frame: DataFrame) -> DataFrame:
        """Add missing columns as nulls, and conform.

        Args:
            frame: has at least the declared columns that are not nullable.

        Raises:
            ContractError: as ``conform`` does.
        """
        absent = [field for field in self.columns if field.nullable and field.name not in frame.columns]
        nulls = [F.lit(None).cast(field.dataType).alias(field.name) for field in absent]
        return self.conform(frame.select("*", *nulls))


@dataclass(frozen=True)
class SiteTable(Table):
    """A table that is divided by site."""

    partition_by: tuple[str, ...] = ("site",)


@dataclass(frozen=True)
class DataFile:
    """A Parquet file; it is never changed.

    Attributes:
        path: relative to the lake.
        bytes: size.
        rows: number of rows.
        values: the value that all rows have, for each column by which the table is divided.
        nulls: number of nulls by column, without columns of arrays and maps.
    """

    path: str
    bytes: int
    rows: int
    values: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    nulls: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def site(self) -> str | None:
        """The site of all rows; None if the table is not divided by site."""
        return self.values.get("site")


@dataclass(frozen=True)
class TableFiles:
    """The files of a table.

    Attributes:
        columns: names of the stored columns.
        files: the files, each with at least one row.
        fingerprints: by site, the hash of what its rows were made from; rows with equal ones are equal.
    """

    columns: tuple[str, ...] = ()
    files: tuple[DataFile, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(file.rows for file in self.files)

    def rows_by_site(self) -> Counter[str]:
        """The number of rows by site, of a table that is divided by site."""
        rows: Counter[str] = Counter()
        for file in self.files:
            rows[file.site or ""] += file.rows
        return rows

    @property
    def sites(self) -> set[str]:
        """The sites with rows or a fingerprint."""
        return {file.site for file in self.files if file.site is not None} | self.fingerprints.keys()

    def of(self, sites: Collection[str]) -> TableFiles:
        """The files of some sites."""
        return self.without(self.sites.difference(sites))

    def without(self, sites: Collection[str]) -> TableFiles:
        """The files of all other sites."""
        files = tuple(file for file in self.files if file.site not in sites)
        fingerprints = {site: value for site, value in self.fingerprints.items() if site not in sites}
        return replace(self, files=files, fingerprints=fingerprints)

    def united(self, other: TableFiles) -> TableFiles:
        """The files of both; of a site in both, the other's fingerprint holds, and none if it has none."""
        columns = (*self.columns, *(name for name in other.columns if name not in self.columns))
        kept = {site: value for site, value in self.fingerprints.items() if site not in other.sites}
        return TableFiles(columns, self.files + other.files, {**kept, **other.fingerprints})

    def with_fingerprints(self, fingerprints: Mapping[str, str]) -> TableFiles:
        """The same files, made from what these fingerprints say."""
        return replace(self, fingerprints={**self.fingerprints, **fingerprints})

    def fingerprint(self, site: str) -> str:
        """The fingerprint of a site's rows; without one, its files stand for themselves, as files never change."""
        stored = self.fingerprints.get(site)
        return stored or fingerprint_of(*sorted(file.path for file in self.files if file.site == site))

    def null_shares(self) -> dict[str, float]:
        """The share of nulls by column, without columns of arrays and maps."""
        counted = [name for name in self.columns if all(name in file.nulls for file in self.files)]
        return {name: sum(file.nulls[name] for file in self.files) / max(1, self.rows) for name in counted}


NO_FILES = TableFiles()


def fingerprint_of(*parts: str) -> str:
    """The hash of some texts, hexadecimal."""
    total = sha256()
    for part in parts:
        total.update(f"{len(part)}:{part}".encode())
    return total.hexdigest()
