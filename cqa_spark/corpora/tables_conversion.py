"""Finds and reads a user's tables, and converts their columns to the declared types of a community table.

Nothing becomes null in silence: a row with a value that its declared type cannot express is refused, with the reason.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path, PurePosixPath
from typing import Literal

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.corpora.accounting import FileAccount
from cqa_spark.corpora.inputs import exists, files_below
from cqa_spark.errors import EnvironmentProblem, InputError
from cqa_spark.lake.schemas.accounting import QUARANTINE
from cqa_spark.lake.schemas.community import POSTS, UNANNOTATED
from cqa_spark.lake.table import Table
from cqa_spark.object_store.locations import FoundFile, find_files
from cqa_spark.object_store.store import delta_address, delta_options
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.settings.values import is_remote
from cqa_spark.spark.internals import java_reads

Format = Literal["parquet", "csv", "json lines"]

_FORMATS: dict[str, Format] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json lines",
}
_PACKED = (".gz", ".bz2", ".zst")
_CATALOGUE_NAME = re.compile(r"\w+(\.\w+){1,2}")

CORRUPT = "_corrupt_record"
"""The column with the text of lines that are no record."""

PROBLEM, RAW = "_problem", "_raw"
"""Columns of ``converted``: why a row is refused, null for a good one; and the row as JSON."""

NUMBER = "_number"
"""Column with the number of a row, which identifies it in the quarantine."""

_EXTRA = "unknown_attributes"
_DERIVED = ("post_type", "thread_id")
"""Columns of posts that follow from the ids."""

_FLOAT = "^(-?[0-9]+)[.]0+$"
"""A whole number of a column that has gaps, in a text."""


@dataclass(frozen=True)
class Location:
    """A table outside the lake.

    Attributes:
        name: as the user gave it.
        files: its data files, sorted; none of a table of the catalogue.
        format: of the files.
    """

    name: str
    files: tuple[str, ...] = ()
    format: Format | None = None

    def read(self, spark: SparkSession) -> DataFrame:
        """The rows; values of CSV files are texts, and lines that are no record are in the column ``CORRUPT``.

        Raises:
            InputError: the catalogue has no such table.
            EnvironmentProblem: the files are in a bucket, and Spark has no file system for it.
        """
        if self.format is None:
            if not spark.catalog.tableExists(self.name):
                raise InputError(
                    f"{self.name} is neither a file nor a table of Spark's catalogue",
                    "name a .parquet, .csv or .jsonl file, a folder of them, a Delta table, or a catalogue's table",
                )
            return spark.table(self.name)
        if is_remote(self.files[0]) and not java_reads(spark, self.files[0]):
            raise EnvironmentProblem(
                f"Spark reads tables of users itself, and has no file system for {self.files[0]}",
                "copy them to a local folder, or start Spark with a connector, such as spark-submit.sh --packages "
                "org.apache.hadoop:hadoop-aws:VERSION, of the version of its Hadoop client",
            )
        if self.format == "parquet":
            # Partitions are folders such as year=2024.
            folder = {} if self.files == (self.name,) else {"basePath": self.name}
            return spark.read.options(**folder).parquet(*self.files)
        if self.format == "csv":
            return spark.read.csv(list(self.files), header=True, multiLine=True, escape='"', encoding="UTF-8")
        return spark.read.json(list(self.files), primitivesAsString=True, columnNameOfCorruptRecord=CORRUPT)


def locate(name: str, storage: ObjectStorageSettings) -> Location:
    """Find the data files of a table.

    Args:
        name: a file, a folder of files of one format, a Delta table, or the name of a table in Spark's catalogue.
        storage: object storage settings.

    Raises:
        InputError: there is no such table, or it has no files or files of several formats.
    """
    is_there = is_remote(name) or exists(Path(name))
    if not is_there and _CATALOGUE_NAME.fullmatch(name) and _format_of(name) is None:
        return Location(name)
    is_folder = _format_of(name) is None if is_remote(name) else Path(name).is_dir()
    files = (_delta_files(name, storage) if is_folder else []) or _data_files(name, storage)
    formats = {_format_of(file) for file in files}
    if len(formats) != 1:
        kinds = ", ".join(sorted(map(str, formats))) or "none"
        raise InputError(
            f"{name} should hold files of one format (.parquet, .csv, .jsonl), but it holds {kinds}",
            "name the files of one table, or a folder that holds only these",
        )
    return Location(name, tuple(files), formats.pop())


def table_name(location: str) -> str:
    """The table that a file or folder is named after, such as ``posts`` for ``dump/Posts.csv.gz``."""
    return PurePosixPath(location).name.lower().partition(".")[0]


def tables_at(locations: Sequence[str], names: Collection[str], storage: ObjectStorageSettings) -> Iterator[str]:
    """The files and folders that are named after tables: these locations themselves, else what lies directly in them.

    Args:
        locations: files and folders.
        names: of the tables.
        storage: object storage settings.

    Raises:
        InputError: there is nothing at a location.
    """
    for location in locations:
        candidates = [location] if table_name(location) in names else _directly_within(location, storage)
        yield from (candidate for candidate in candidates if table_name(candidate) in names)


def bytes_at(location: str, storage: ObjectStorageSettings) -> int:
    """The size of a file, or of all files below a folder."""
    return sum(file.size for file in _files_at(location, storage))


def _directly_within(folder: str, storage: ObjectStorageSettings) -> list[str]:
    root = folder.rstrip("/") if is_remote(folder) else str(Path(folder))
    below = [file.location.removeprefix(f"{root}/") for file in _files_at(root, storage) if file.location != root]
    if not below:
        raise InputError(f"no tables in {folder}", "name a folder of files such as posts.parquet and votes.csv")
    return sorted({f"{root}/{path.partition('/')[0]}" for path in below})


def _files_at(location: str, storage: ObjectStorageSettings) -> list[FoundFile]:
    """The files at a location, local or remote: a file itself, or all below a folder."""
    if is_remote(location):
        return find_files(location, storage)
    path = Path(location)
    files = files_below(path) if path.is_dir() else [path]
    return [FoundFile(str(file), file.stat().st_size, version="") for file in files if exists(file)]


def _format_of(name: str) -> Format | None:
    lower = name.lower()
    for packed in _PACKED:
        lower = lower.removesuffix(packed)
    return _FORMATS.get(PurePosixPath(lower).suffix)


def _delta_files(name: str, storage: ObjectStorageSettings) -> list[str]:
    """The files of the newest version of a Delta table; none of any other location."""
    try:
        table = DeltaTable(delta_address(name), storage_options=delta_options(name, storage))
    except TableNotFoundError:
        return []
    except DeltaError as error:
        raise InputError(f"{name}: the Delta table cannot be read: {error}", "check the table") from error
    return sorted(uri.replace(delta_address(name), name, 1) for uri in table.file_uris())


def _data_files(name: str, storage: ObjectStorageSettings) -> list[str]:
    files = [file.location for file in _files_at(name, storage)]
    if not files:
        raise InputError(f"no such file, folder or table: {name}", "check the path; a catalogue's table has a dot")
    return sorted(file for file in files if _format_of(file) or file == name)


def converted(frame: DataFrame, table: Table, site: str | None, where: str) -> DataFrame:
    """The rows of a user's table with declared columns and types.

    A question may omit its type and thread. Columns that are not declared become unknown attributes where the table has
    them. A value that its declared type cannot express makes the row a refused one; nothing becomes null in silence.

    Args:
        frame: the user's table.
        table: the declaration.
        site: site of all rows; None if the column ``site`` names it.
        where: name of the user's table.

    Returns:
        The declared columns, ``PROBLEM`` and ``RAW``.

    Raises:
        InputError: a column that identifies rows is missing.
    """
    types = {field.name: field.dataType for field in frame.schema}
    defaults = _defaults(types, table, site, where)
    _require_columns(frame.columns, table, {*defaults, *(_DERIVED if table is POSTS else ())}, where)
    values, problems = {}, []
    for field in table.columns:
        if field.name in defaults:
            values[field.name] = defaults[field.name]
        elif field.name in types:
            values[field.name] = as_declared(field.name, types[field.name], field.dataType)
            problems.append(_problem(field, values[field.name]))
        elif field.name == _EXTRA:
            values[field.name] = _extra([name for name in types if name not in table.schema.names and name != CORRUPT])
        else:
            values[field.name] = F.lit(None).cast(field.dataType)
    if CORRUPT in types:
        problems.insert(0, F.when(F.col(CORRUPT).isNotNull(), F.lit("the line is not a JSON object")))
    raw = F.to_json(F.struct(*[F.col(name) for name in frame.columns]))
    return frame.select(
        *[value.alias(name) for name, value in values.items()],
        F.coalesce(*problems).alias(PROBLEM),
        (F.coalesce(CORRUPT, raw) if CORRUPT in types else raw).alias(RAW),
    )


def _require_columns(present: Collection[str], table: Table, derived: Collection[str], where: str) -> None:
    """Check that a user's table has the columns that identify its rows.

    Raises:
        InputError: columns are missing.
    """
    required = [field.name for field in table.columns if not field.nullable and field.name not in derived]
    missing = [name for name in required if name not in present]
    if missing:
        raise InputError(
            f"{where} has no column {', '.join(missing)}; it has {', '.join(sorted(present))}",
            f"rename columns to those of the table {table.name}: "
            f"{', '.join(field.name for field in table.columns)} (docs/reference describes them)",
        )


def _defaults(types: Mapping[str, T.DataType], table: Table, site: str | None, where: str) -> Mapping[str, Column]:
    """Values of declared columns that the user's table need not have."""
    defaults = {"source_file": F.lit(where)}
    if site is not None:
        defaults["site"] = F.lit(site)
    if "split" not in types and "split" in table.schema.names:
        defaults["split"] = F.lit(UNANNOTATED)
    if table is POSTS and "post_id" in types:
        ids = [name for name in ("thread_id", "post_id") if name in types]
        of_post = [as_declared(name, types[name], T.StringType()) for name in ids]
        thread, own = F.coalesce(*of_post), of_post[-1]
        defaults["thread_id"] = thread
        if "post_type" not in types:
            defaults["post_type"] = F.when(thread == own, "question").otherwise("answer")
    return defaults


def as_declared(name: str, present: T.DataType, declared: T.DataType) -> Column:
    """The values of a user's column in the declared type; null where it cannot express them.

    Args:
        name: of the column.
        present: its type.
        declared: the type of the column of this name in the community table.
    """
    value = F.col(name)
    # Ids with missing values are often stored as floats, such as 7.0, or written as such into texts.
    if isinstance(declared, T.StringType) and isinstance(present, T.FractionalType):
        whole = F.expr(f"try_cast(`{name}` AS bigint)")
        return F.when(whole == value, whole.cast("string")).otherwise(value.cast("string"))
    if isinstance(declared, T.StringType) and isinstance(present, T.StringType) and name.endswith("_id"):
        return F.regexp_replace(value, _FLOAT, "$1")
    if isinstance(declared, T.ArrayType) and isinstance(present, T.StringType):
        # "a,b", "<a><b>", "|a|b|" or a JSON array.
        return F.when(value.isNotNull(), F.regexp_extract_all(value, F.lit(r'([^<>|\[\]",\s][^<>|\[\]",]*)'), 1))
    if isinstance(declared, T.IntegralType) and isinstance(present, T.StringType):
        return F.expr(f"try_cast(regexp_replace(`{name}`, '{_FLOAT}', '$1') AS {declared.simpleString()})")
    return F.expr(f"try_cast(`{name}` AS {declared.simpleString()})")


def _problem(field: T.StructField, value: Column) -> Column:
    """Why a value makes its row a refused one."""
    original = F.col(field.name)
    wrong = F.concat(
        F.lit(f"{field.name} is no {field.dataType.simpleString()}: "), F.substring(original.cast("string"), 1, 100)
    )
    problem = F.when(original.isNotNull() & value.isNull(), wrong)
    return problem if field.nullable else problem.when(original.isNull(), F.lit(f"{field.name} is missing"))


def _extra(names: Collection[str]) -> Column:
    pairs = [F.struct(F.lit(name), F.col(name).cast("string")) for name in names]
    empty = F.lit(None).cast("map<string,string>")
    if not pairs:
        return empty
    filled = F.map_filter(F.map_from_entries(F.array(*pairs)), lambda _, value: value.isNotNull())
    return F.when(reduce(lambda left, right: left | right, [F.col(name).isNotNull() for name in names]), filled)


def checked(rows: DataFrame, table: Table) -> DataFrame:
    """Refuse all but the first of rows with one key, by the rows' texts, and number all rows that have no number.

    Args:
        rows: as ``converted`` returns them.
        table: the declaration.

    Returns:
        The rows; their numbers are not the same when they are computed again, so persist them.
    """
    of_key = Window.partitionBy(*table.key, F.col(PROBLEM).isNull()).orderBy(RAW)
    repeats = F.col(PROBLEM).isNull() & (F.row_number().over(of_key) > 1)
    repeated = F.concat(F.lit("another row has the same "), F.lit(", ".join(table.key)))
    with_problem = rows.withColumn(PROBLEM, F.when(repeats, repeated).otherwise(F.col(PROBLEM)))
    return with_problem if NUMBER in rows.columns else with_problem.withColumn(NUMBER, F.monotonically_increasing_id())


def good_rows(rows: DataFrame, table: Table) -> DataFrame:
    """The checked rows that the table stores."""
    return table.conform(rows.where(F.col(PROBLEM).isNull()).select(*table.schema.names))


def refused_rows(rows: DataFrame, site: Column) -> DataFrame:
    """The checked rows that go to the quarantine, with the site that they count for."""
    refused = rows.where(F.col(PROBLEM).isNotNull()).select(
        site.alias("site"), "source_file", F.col(NUMBER).alias("byte_offset"), F.col(PROBLEM).alias("reason"),
        F.col(RAW).alias("raw"),
    )  # fmt: skip
    return QUARANTINE.conform(refused)


def counts_by(rows: DataFrame, column: Column) -> dict[str, tuple[int, int]]:
    """The numbers of checked rows and of refused ones, by the values of a column that are few."""
    counted = rows.groupBy(column.alias("value")).agg(
        F.count(F.lit(1)).alias("rows"), F.count(PROBLEM).alias("refused")
    )
    return {row["value"]: (row["rows"], row["refused"]) for row in counted.collect()}


def account(site: str, source_file: str, split: str, table: Table, counts: tuple[int, int]) -> FileAccount:
    """The account of a user's table, whose records are not lines.

    Args:
        site: the site of the rows.
        source_file: name of the user's table.
        split: the split of the rows.
        table: the table that they fill.
        counts: numbers of rows and of refused ones.
    """
    rows, refused = counts
    return FileAccount(
        site=site, source_file=source_file, split=split, table_name=table.name, lines=None, not_rows=None,
        is_complete=None, rows_in=rows, rows_out=rows - refused, rows_quarantined=refused,
    )  # fmt: skip


def print_thread_warnings(rows: DataFrame) -> None:
    """Print the warnings about the checked rows of ``posts``."""
    for warning in thread_warnings(good_rows(rows, POSTS)):
        Terminal(stderr=True).line(f"warning: {warning}")


def thread_warnings(posts: DataFrame) -> list[str]:
    """A sentence for every site of which no post is a question, or which has answers to questions that it lacks.

    Args:
        posts: the rows of the table ``posts``.
    """
    posts = posts.where(F.col("post_type").isin("question", "answer"))
    is_question, is_lost = F.col("post_type") == "question", F.col("is_thread").isNull()
    threads = posts.where(is_question).select(
        "site", F.col("post_id").alias("thread_id"), F.lit(True).alias("is_thread")
    )
    by_site = (
        posts.select("site", "thread_id", "post_type")
        .join(threads, on=["site", "thread_id"], how="left")
        .groupBy("site")
        .agg(
            F.count_if(is_question).alias("questions"),
            F.count(F.lit(1)).alias("posts"),
            F.count_if(is_lost).alias("lost"),
            F.min(F.when(is_lost, F.col("thread_id"))).alias("thread"),
        )
    )
    warnings = []
    for row in by_site.where((F.col("questions") == 0) | (F.col("lost") > 0)).orderBy("site").collect():
        if not row["questions"]:
            warnings.append(
                f"{row['site']}: none of its {row['posts']:,} posts is a question; a question's thread_id equals its "
                "post_id, or its post_type is question"
            )
        else:
            warnings.append(
                f"{row['site']}: {row['lost']:,} of {row['posts']:,} posts have a thread_id that is the post_id of no "
                f"question, such as {row['thread']}; no ranking has them"
            )
    return warnings
