"""What tasks give to Spark of files that they read themselves."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import types as T

from cqa_spark.lake import reading
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.internals import to_arrow_schema

MB = 1 << 20
SCHEMA = T.StructType(
    [
        T.StructField("post_id", T.StringType()),
        T.StructField("tags", T.ArrayType(T.StringType())),
        T.StructField("at", T.TimestampType()),
        T.StructField("counts", T.MapType(T.StringType(), T.LongType())),
    ]
)


def test_files_are_packed_into_tasks_as_spark_packs_them() -> None:
    assert reading.tasks_of({"a": 1, "b": 1, "c": 1}, at_once=1) == [["a", "b", "c"]]
    assert reading.tasks_of({"a": 1, "b": 1, "c": 1}, at_once=4) == [["a"], ["b"], ["c"]]
    assert reading.tasks_of({"a": 200 * MB, "b": 60 * MB, "c": 60 * MB, "d": 60 * MB}, at_once=1) == [
        ["a"], ["b", "c"], ["d"],
    ]  # fmt: skip


def test_declared_columns_are_read_and_absent_ones_are_null(tmp_path: Path) -> None:
    rows = pa.table({"post_id": ["1", "2"], "tags": [["a", "b"], None], "undeclared": [1, 2]})
    pq.write_table(rows, tmp_path / "part-1.parquet", store_schema=False)
    counts = pa.table({"counts": pa.array([[("x", 1)]], pa.map_(pa.string(), pa.int64())), "post_id": ["3"]})
    pq.write_table(counts, tmp_path / "part-2.parquet", store_schema=False)
    files = [str(tmp_path / name) for name in ("part-1.parquet", "part-2.parquet")]
    task = pa.RecordBatch.from_pylist([{"files": files}])
    found = pa.Table.from_batches(reading._rows(SCHEMA, ObjectStorageSettings(), [task]))
    assert found.schema == to_arrow_schema(SCHEMA)
    assert found.to_pylist() == [
        {"post_id": "1", "tags": ["a", "b"], "at": None, "counts": None},
        {"post_id": "2", "tags": None, "at": None, "counts": None},
        {"post_id": "3", "tags": None, "at": None, "counts": [("x", 1)]},
    ]
