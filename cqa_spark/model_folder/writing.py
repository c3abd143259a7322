"""Writing a model folder: files first, the manifest last."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import BaseModel
from pyspark.sql import DataFrame

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.errors import ContractError, InputError
from cqa_spark.model_folder.manifest import MANIFEST, Copy, FileEntry, Kind, Manifest, TableEntry, read_manifest
from cqa_spark.model_folder.reading import FolderOfModel, ModelFolder
from cqa_spark.object_store.locations import open_store
from cqa_spark.object_store.store import ObjectStore


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
        key = self.prefix + name
        frame.write.mode("overwrite").parquet(f"{self.location}/{key}")
        files = tuple(each for each in self.store.keys(f"{key}/") if each.endswith(".parquet"))
        for each in files:
            stored = self.store.read(each)
            assert stored is not None, "it was listed"
            self.manifest.files[each] = FileEntry.of(stored.data)
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
    _remove_former(store)
    folder = NewModelFolder(location.rstrip("/"), store, Manifest(kind=kind, copy_of=copy_of))
    yield folder
    store.put(MANIFEST, folder.manifest.model_dump_json(indent=2).encode())


def copy_with_fewer_rows(
    source: ModelFolder,
    copy_of: Copy,
    location: str,
    storage: ObjectStorageSettings,
    rest: Callable[[DataFrame], DataFrame],
) -> None:
    """Write a model folder again: its tables with fewer rows, all other files as they are.

    Args:
        source: the whole folder.
        copy_of: for the manifest of the copy.
        location: of the copy.
        storage: object storage settings.
        rest: gives the rows of a table that the copy has.
    """
    manifest = source.manifest
    of_tables = {key for table in manifest.tables.values() for key in table.files}
    with new_model_folder(location, manifest.kind, storage, copy_of=copy_of) as folder:
        for key in sorted(manifest.files.keys() - of_tables):
            folder.write_bytes(key, source.read_bytes(key))
        for key, table in manifest.tables.items():
            rows = source.read_table(key)
            if table.files:
                folder.write_table(key, rest(rows))
            else:
                folder.write_no_rows(key, rows)


def _remove_former(store: ObjectStore) -> None:
    """Remove the files listed in an older manifest; the manifest goes first, so that a partial folder is never read."""
    try:
        former = read_manifest(store)
    except (InputError, ContractError):  # there is none, or it cannot be read by its manifest
        return
    for key in (MANIFEST, *former.files):
        store.delete(key)
