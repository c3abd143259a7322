"""Reading a model folder: only files listed in the manifest, with matching checksums, in data formats."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import ContractError
from cqa_spark.model_folder.manifest import MANIFEST, FileEntry, Kind, Manifest, read_manifest
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore, first_mistake

Content = TypeVar("Content", bound=BaseModel)


@dataclass(frozen=True)
class FolderOfModel:
    """A model folder, or a subfolder of it.

    Attributes:
        location: location of the whole folder, as Spark accepts it.
        store: the objects of the whole folder.
        manifest: manifest of the whole folder.
        prefix: prefix of the keys in this folder; empty, or ends in a slash.
    """

    location: str
    store: ObjectStore
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
        if not _fits(array.shape, shape):
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
            found = ", ".join(f"{column.name} {column.type}" for column in rows.schema)
            raise self.refusal(name, f"unexpected columns: {found}")
        if any(column.null_count for column in rows.columns):
            raise self.refusal(name, "values are missing")
        return rows

    def read_table(self, name: str) -> DataFrame:
        """A table; needs an active Spark session."""
        key = self.prefix + name
        table = self.manifest.tables.get(key)
        if table is None:
            raise self.refusal(name, "the manifest lists no such table")
        for each in table.files:
            self._read(each)
        columns = ((column.replace("`", "``"), kind) for column, kind in table.columns.items())
        schema = ", ".join(f"`{column}` {kind}" for column, kind in columns)
        session = SparkSession.active()
        if not table.files:
            return session.createDataFrame([], schema)
        return session.read.schema(schema).parquet(*[f"{self.location}/{each}" for each in table.files])

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
    return ModelFolder(location.rstrip("/"), store, manifest)


def original_of(lake: str, location: str, storage: ObjectStorageSettings) -> str:
    """The location of a model folder, or of the one that it is a copy of, with fewer rows.

    Args:
        lake: the folder that both are in.
        location: of the model, in this folder.
        storage: object storage settings.
    """
    store = open_store(f"{lake.rstrip('/')}/{location}", storage)
    copy = read_manifest(store).copy_of if store.read(MANIFEST) is not None else None
    return copy.original if copy is not None and copy.location == location else location


def _fits(found: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(found) == len(wanted) and all(
        asked in (None, length) for length, asked in zip(found, wanted, strict=True)
    )
