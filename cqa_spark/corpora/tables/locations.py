"""Where a table of a community lies, in which format, and how Spark reads it."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.corpora.inputs import exists, files_below
from cqa_spark.errors import InputError
from cqa_spark.object_store.locations import FoundFile, find_files
from cqa_spark.object_store.storage import delta_address, delta_options

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
        """
        if self.format is None:
            if not spark.catalog.tableExists(self.name):
                raise InputError(
                    f"{self.name} is neither a file nor a table of Spark's catalogue",
                    "name a .parquet, .csv or .jsonl file, a folder of them, a Delta table, or a catalogue's table",
                )
            return spark.table(self.name)
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
        kinds = ", ".join(sorted(str(each) for each in formats)) or "none"
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
        within = [location] if table_name(location) in names else _directly_within(location, storage)
        yield from (each for each in within if table_name(each) in names)


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
    below = files_below(path) if path.is_dir() else [path] if exists(path) else []
    return [FoundFile(str(file), file.stat().st_size, version="") for file in below if exists(file)]


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
    found = [file.location for file in _files_at(name, storage)]
    if not found:
        raise InputError(f"no such file, folder or table: {name}", "check the path; a catalogue's table has a dot")
    return sorted(file for file in found if _format_of(file) or file == name)
