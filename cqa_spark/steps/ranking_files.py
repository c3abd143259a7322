"""Files of exported rankings: tasks write them, one site each, and return what is in them.

CSV follows RFC 4180: every text is quoted, a quote in it is doubled, and line ends stay as they are; a missing value is
empty and without quotes. JSON lines leave missing values out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Protocol, TextIO
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.config.nightly_settings import ExportFormat
from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.lake.writing import deliver, folder_to_write
from cqa_spark.object_store.s3 import credentials, use_credentials
from cqa_spark.steps.export_manifest import ExportedFile

_DESCRIBED = T.StructType(
    [
        T.StructField("path", T.StringType()),
        T.StructField("site", T.StringType()),
        T.StructField("rows", T.LongType()),
        T.StructField("bytes", T.LongType()),
        T.StructField("sha256", T.StringType()),
    ]
)

_ESCAPED = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
"""Characters that Spark and Hive escape in the names of partition folders."""


def write_ranking_files(
    rows: DataFrame, root: str, folder: str, storage: ObjectStorageSettings, file_format: ExportFormat
) -> list[ExportedFile]:
    """Write rows to ``folder/site=SITE/part-*``, in one job; return the files, in order of their paths.

    A task that is repeated leaves files that are not returned.

    Args:
        rows: with a column ``site``, by which they are sorted within partitions; the files keep their order.
        root: output folder, local or in a bucket.
        folder: folder within it, for this export alone.
        storage: object storage settings.
        file_format: of the files.
    """
    write = partial(write_partition, f"{root}/{folder}", storage, file_format, credentials())
    described = rows.mapInArrow(write, _DESCRIBED).collect()
    files = [ExportedFile(**{**row.asDict(), "path": f"{folder}/{row.path}"}) for row in described]
    return sorted(files, key=lambda file: file.path)


def write_partition(
    folder: str,
    storage: ObjectStorageSettings,
    file_format: ExportFormat,
    secrets: Mapping[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Write the rows of a task, a file for each site, and describe the files.

    Args:
        folder: of the export.
        storage: object storage settings.
        file_format: of the files.
        secrets: environment variables of the driver that hold credentials.
        batches: the rows, sorted by site.
    """
    use_credentials(secrets)
    files = []
    with folder_to_write(folder) as here:
        for site, parts in groupby(_parts(batches), key=itemgetter(0)):
            name, rows = f"part-{uuid4().hex}.{file_format}", 0
            unfinished = here / f"{name}.unfinished"
            _, first = next(parts)
            with _WRITERS[file_format](unfinished, first.schema) as writer:
                for part in chain([first], (part for _, part in parts)):
                    writer.write_batch(part)
                    rows += part.num_rows
            with unfinished.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = unfinished.stat().st_size
            path = f"site={_ESCAPED.sub(lambda match: f'%{ord(match[0]):02X}', site)}/{name}"
            deliver(unfinished, folder, path, storage)
            files.append({"path": path, "site": site, "rows": rows, "bytes": size, "sha256": digest})
    if files:
        yield pa.RecordBatch.from_pylist(files, to_arrow_schema(_DESCRIBED))


def _parts(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows without their site, in batches of one site each."""
    for batch in batches:
        rows = batch.drop_columns(["site"])
        sites = pc.run_end_encode(batch["site"])
        start = 0
        for site, end in zip(sites.values.to_pylist(), sites.run_ends.to_pylist(), strict=True):
            yield site, rows.slice(start, end - start)
            start = end


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...


@contextmanager
def _json_lines(path: Path, schema: pa.Schema) -> Iterator[_Writer]:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        yield _JsonLines(stream)


@dataclass(frozen=True)
class _JsonLines:
    """Writes an object a line, like the writers of pyarrow."""

    stream: TextIO

    def write_batch(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            present = {name: value for name, value in row.items() if value is not None}
            self.stream.write(json.dumps(present, ensure_ascii=False) + "\n")


_WRITERS: Mapping[ExportFormat, Callable[[Path, pa.Schema], AbstractContextManager[_Writer]]] = {
    "parquet": pq.ParquetWriter,
    "jsonl": _json_lines,
    "csv": pyarrow.csv.CSVWriter,
}
