"""Model folders: files of data formats and a manifest with their checksums; loading one runs no code.

Files are written first and the manifest last, so that a folder with a manifest is complete. Only files that the
manifest lists are read, and only if their bytes have the checksum.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ContractError, CqaError, InputError
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore, check_key, first_mistake
from cqa_spark.settings.sections import ObjectStorageSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MANIFEST = "manifest.json"
FORMAT_VERSION: Final = 1

_PLAIN_TYPE = "string|boolean|int|bigint|double|date|timestamp"
_LONGEST_TYPE = 1000
_COLUMN_TYPE = re.compile(rf"(?:(?:array|map|struct)<|[a-z_]{{1,99}}:|(?:{_PLAIN_TYPE})|[>,])+")

Kind = Literal["trained_system", "feature_groups", "ranker"]
"""The type of the whole folder; its parts have types of their own, which the registries of rankers and groups
define."""


class OtherModelFormat(ContractError):
    """A model folder that is incomplete, or in a format that this release does not read; retrain it."""


def _key(name: str) -> str:
    try:
        check_key(name)
    except CqaError as error:
        raise ValueError(error.problem) from error
    return name


def _column_type(name: str) -> str:
    if len(name) > _LONGEST_TYPE or not _COLUMN_TYPE.fullmatch(name):
        raise ValueError(f"{name} is not a column type")
    return name


Key = Annotated[str, AfterValidator(_key)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileEntry(_Part):
    """A file.

    Attributes:
        size: bytes.
        sha256: of the bytes, in hexadecimal.
    """

    size: int
    sha256: str

    @classmethod
    def of(cls, data: bytes) -> FileEntry:
        """The entry of a file with these bytes."""
        return cls(size=len(data), sha256=hashlib.sha256(data).hexdigest())


class TableEntry(_Part):
    """A table in Parquet files.

    Attributes:
        columns: Spark SQL type by column. Readers take the schema from here, because Spark's metadata in Parquet files
            may name classes, which Spark and PySpark would instantiate.
        files: keys of the files.
    """

    columns: dict[str, Annotated[str, AfterValidator(_column_type)]]
    files: tuple[Key, ...]


class Copy(_Part):
    """The origin of a copy with fewer rows of tables; it ranks in the same way.

    Attributes:
        location: of the copy; elsewhere it is not this copy, but a model of another lake.
        original: location of the folder that was copied first.
    """

    location: str
    original: str


class Manifest(_Part):
    """The content of ``manifest.json``; keys are paths within the folder.

    Attributes:
        version: version of the format.
        kind: type of the model.
        files: every file except the manifest.
        tables: the tables among them.
        copy_of: the folder that this one is a copy of, with fewer rows; None for no copy.
    """

    version: Literal[1] = FORMAT_VERSION
    kind: Kind
    files: dict[Key, FileEntry] = Field(default_factory=dict)
    tables: dict[Key, TableEntry] = Field(default_factory=dict)
    copy_of: Copy | None = None


def read_manifest(store: ObjectStore) -> Manifest:
    """Read the manifest of a model folder.

    Raises:
        InputError: there is no folder, or it is empty.
        OtherModelFormat: there is no manifest, or it has another version.
        ContractError: the manifest is not valid.
    """
    stored = store.read(MANIFEST)
    if stored is None:
        if next(store.keys(), None) is None:
            raise InputError(f"there is no model in {store.root}", "check the path, or train a model first")
        raise OtherModelFormat(
            f"{store.root} has no {MANIFEST}: the model was saved by an earlier release, or is incomplete",
            "retrain it with this release; nothing was loaded from the folder",
        )
    try:
        return Manifest.model_validate_json(stored.data)
    except ValidationError as error:
        if any(mistake["loc"] == ("version",) for mistake in error.errors()):
            raise OtherModelFormat(
                f"{store.root} is in another format than version {FORMAT_VERSION}, which this release reads",
                "retrain the model with this release; nothing was loaded from the folder",
            ) from error
        raise ContractError(
            f"{store.root}/{MANIFEST} is not valid: {first_mistake(error)}",
            "restore the folder from a backup, or retrain the model; nothing was loaded from the folder",
        ) from error


Content = TypeVar("Content", bound=BaseModel)


@dataclass(frozen=True)
class FolderOfModel:
    """A model folder, or a subfolder of it.

    Attributes:
        location: location of the whole folder, as Spark accepts it.
        store: the objects of the whole folder.
        storage: object storage settings.
        manifest: manifest of the whole folder.
        prefix: prefix of the keys in this folder; empty, or ends in a slash.
    """

    location: str
    store: ObjectStore
    storage: ObjectStorageSettings
    manifest: Manifest
    prefix: str = ""

    def within(self, name: str) -> Self:
        """A subfolder."""
        return replace(self, prefix=f"{self.prefix}{name}/")


class ModelFolder(FolderOfModel):
    """A model folder to read, created by ``open_model_folder``.

    Every method raises ``ContractError`` if a file is missing, was changed, or is not in the expected format.
    """

    def has(self, name: str) -> bool:
        """Whether the manifest lists a file."""
        return self.prefix + name in self.manifest.files

    def read_bytes(self, name: str) -> bytes:
        """The content of a file."""
        return self._read(self.prefix + name)

    def read_json(self, name: str, content: type[Content]) -> Content:
        """The content of a JSON file."""
        try:
            return content.model_validate_json(self.read_bytes(name))
        except ValidationError as error:
            raise self.refusal(name, first_mistake(error)) from error

    def read_array(self, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float64]:
        """An array of finite doubles in NumPy's format; a pickle is rejected, not loaded.

        Args:
            name: of the file.
            shape: expected shape of the array; None for an unknown length.
        """
        try:
            array = np.lib.format.read_array(io.BytesIO(self.read_bytes(name)), allow_pickle=False)
        except (ValueError, EOFError, MemoryError) as error:
            raise self.refusal(name, str(error)) from error
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise self.refusal(name, "it is not an array of finite doubles")
        lengths = zip(array.shape, shape, strict=False)
        if len(array.shape) != len(shape) or any(expected not in (None, length) for length, expected in lengths):
            raise self.refusal(name, f"its shape is {array.shape}, not {shape}")
        return array

    def read_arrow(self, name: str, schema: pa.Schema) -> pa.Table:
        """A table in one Parquet file, without Spark.

        Args:
            name: of the file.
            schema: expected columns, without nulls.
        """
        try:
            rows = pq.read_table(io.BytesIO(self.read_bytes(name)))
        except pa.ArrowException as error:
            raise self.refusal(name, str(error)) from error
        if not rows.schema.equals(schema):
            columns = ", ".join(f"{column.name} {column.type}" for column in rows.schema)
            raise self.refusal(name, f"unexpected columns: {columns}")
        if any(column.null_count for column in rows.columns):
            raise self.refusal(name, "values are missing")
        return rows

    def read_table(self, name: str) -> DataFrame:
        """A table; needs an active Spark session."""
        key = self.prefix + name
        table = self.manifest.tables.get(key)
        if table is None:
            raise self.refusal(name, "the manifest lists no such table")
        for file in table.files:
            self._read(file)
        columns = ((column.replace("`", "``"), kind) for column, kind in table.columns.items())
        schema = ", ".join(f"`{column}` {kind}" for column, kind in columns)
        from pyspark.sql import SparkSession  # here, because lists of models need no Spark

        from cqa_spark.lake.reading import read_parquet

        session = SparkSession.active()
        files = {f"{self.location}/{file}": self.manifest.files[file].size for file in table.files}
        return read_parquet(session, session.createDataFrame([], schema).schema, files, self.storage)

    def refusal(self, name: str, reason: str) -> ContractError:
        """The error of a file that cannot be used."""
        return self._refusal(self.prefix + name, reason)

    def _read(self, key: str) -> bytes:
        entry = self.manifest.files.get(key)
        if entry is None:
            raise self._refusal(key, "the manifest does not list it")
        stored = self.store.read(key)
        if stored is None:
            raise self._refusal(key, "the file is missing")
        if FileEntry.of(stored.data) != entry:
            raise self._refusal(key, "its content does not match the manifest")
        return stored.data

    def _refusal(self, key: str, reason: str) -> ContractError:
        return ContractError(
            f"the model was not loaded: {self.location}/{key}: {reason}",
            "restore the folder from a backup, or retrain the model",
        )


def open_model_folder(location: str, kind: Kind, storage: ObjectStorageSettings) -> ModelFolder:
    """Read the manifest of a model folder.

    Args:
        location: local folder, or ``s3a://BUCKET/PREFIX``.
        kind: expected type of the model.
        storage: object storage settings.

    Raises:
        InputError: there is no folder.
        OtherModelFormat: the folder is incomplete, or was saved by another release.
        ContractError: the folder contains a model of another type, or its manifest is invalid.
    """
    store = open_store(location, storage)
    manifest = read_manifest(store)
    if manifest.kind != kind:
        raise ContractError(f"{location} contains {manifest.kind}, not {kind}", "give the folder of the right model")
    return ModelFolder(location.rstrip("/"), store, storage, manifest)


def original_of(lake: str, location: str, storage: ObjectStorageSettings) -> str:
    """The location of a model folder, or of its original if it is a copy with fewer rows.

    Args:
        lake: the folder that both are in.
        location: of the model, in this folder.
        storage: object storage settings.
    """
    store = open_store(f"{lake.rstrip('/')}/{location}", storage)
    copy = read_manifest(store).copy_of if store.read(MANIFEST) is not None else None
    return copy.original if copy is not None and copy.location == location else location


class NewModelFolder(FolderOfModel):
    """A model folder being written, whose manifest lists the files so far; created by ``new_model_folder``."""

    def write_bytes(self, name: str, data: bytes) -> None:
        """Write a file."""
        key = self.prefix + name
        self.store.put(key, data)
        self.manifest.files[key] = FileEntry.of(data)

    def write_json(self, name: str, content: BaseModel) -> None:
        """Write an indented JSON file."""
        self.write_bytes(name, content.model_dump_json(indent=2).encode())

    def write_array(self, name: str, array: NDArray[np.float64]) -> None:
        """Write an array of doubles in NumPy's format."""
        stream = io.BytesIO()
        np.save(stream, np.asarray(array, dtype=np.float64), allow_pickle=False)
        self.write_bytes(name, stream.getvalue())

    def write_arrow(self, name: str, rows: pa.Table) -> None:
        """Write a table that fits in memory as one Parquet file, without Spark."""
        stream = io.BytesIO()
        pq.write_table(rows, stream)
        self.write_bytes(name, stream.getvalue())

    def write_table(self, name: str, frame: DataFrame) -> None:
        """Write a table of any size as Parquet, with Spark."""
        from cqa_spark.lake.writing import write_plain_files  # here, because lists of models need no Spark

        key = self.prefix + name
        names = write_plain_files(frame, f"{self.location}/{key}", self.storage)
        files = tuple(f"{key}/{file}" for file in sorted(names))
        for file in files:
            stored = self.store.read(file)
            assert stored is not None, "it was listed"
            self.manifest.files[file] = FileEntry.of(stored.data)
        self._add_table(key, frame, files)

    def write_no_rows(self, name: str, like: DataFrame) -> None:
        """Write a table without rows, with the columns of a frame; it has no files, and needs no query."""
        self._add_table(self.prefix + name, like, ())

    def _add_table(self, key: str, like: DataFrame, files: tuple[str, ...]) -> None:
        columns = {field.name: field.dataType.simpleString() for field in like.schema}
        self.manifest.tables[key] = TableEntry(columns=columns, files=files)


@contextmanager
def new_model_folder(
    location: str, kind: Kind, storage: ObjectStorageSettings, *, copy_of: Copy | None = None
) -> Iterator[NewModelFolder]:
    """Write a model folder, replacing an existing one; it is complete when the block succeeds.

    Args:
        location: local folder, or ``s3a://BUCKET/PREFIX``.
        kind: type of the model.
        storage: object storage settings.
        copy_of: the folder that this one is a copy of, with fewer rows; None for no copy.
    """
    store = open_store(location, storage)
    # The manifest of an earlier model goes first, so that a partial folder is never read.
    with suppress(InputError, ContractError):  # there is none, or it cannot be read by its manifest
        for key in (MANIFEST, *read_manifest(store).files):
            store.delete(key)
    folder = NewModelFolder(location.rstrip("/"), store, storage, Manifest(kind=kind, copy_of=copy_of))
    yield folder
    store.put(MANIFEST, folder.manifest.model_dump_json(indent=2).encode())


def copy_with_fewer_rows(
    source: ModelFolder,
    copy_of: Copy,
    location: str,
    storage: ObjectStorageSettings,
    remaining_rows: Callable[[DataFrame], DataFrame],
) -> None:
    """Write a model folder again: its tables with fewer rows, all other files as they are.

    Args:
        source: the whole folder.
        copy_of: for the manifest of the copy.
        location: of the copy.
        storage: object storage settings.
        remaining_rows: gives the rows of a table that the copy has.
    """
    manifest = source.manifest
    of_tables = {key for table in manifest.tables.values() for key in table.files}
    with new_model_folder(location, manifest.kind, storage, copy_of=copy_of) as folder:
        for key in sorted(manifest.files.keys() - of_tables):
            folder.write_bytes(key, source.read_bytes(key))
        for key, table in manifest.tables.items():
            rows = source.read_table(key)
            if table.files:
                folder.write_table(key, remaining_rows(rows))
            else:
                folder.write_no_rows(key, rows)
