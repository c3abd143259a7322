"""What tasks write: which rows lie in which file, and what is said of it. Spark is played by a frame of few batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import types as T

from cqa_spark.lake import writing
from cqa_spark.lake.table import DataFile, Table, column, required
from cqa_spark.lake.writing import TABLE, Destination, write_files, write_plain_files
from cqa_spark.settings.sections import ObjectStorageSettings

MEASURE = T.StructType([T.StructField("name", T.StringType()), T.StructField("value", T.DoubleType())])
SCORES = Table(
    "scores",
    "Made for the test.",
    (
        required("site", "string", "the site"),
        column("task", "string", "the task"),
        column("query_id", "int", "the query"),
        column("score", "double", "points"),
        column("at", "timestamp", "when, UTC"),
        column("measures", T.ArrayType(MEASURE), "of the query"),
    ),
    key=("site", "task", "query_id"),
    partition_by=("site", "task"),
)
NOON = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)
HERE = pa.schema(
    [
        ("site", pa.string()),
        ("task", pa.string()),
        ("query_id", pa.int32()),
        ("score", pa.float64()),
        ("at", pa.timestamp("us", "Asia/Qatar")),
        ("measures", pa.list_(pa.struct([("name", pa.string()), ("value", pa.float64())]))),
    ]
)
"""Of the batches that Spark hands to a task, in the time zone of its session."""

Write = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Frame:
    """A frame whose tasks have these batches.

    Args:
        tasks: the batches of each.
        attempts: of each task; the results of the last one count.
    """

    def __init__(self, *tasks: Iterable[pa.RecordBatch], attempts: int = 1) -> None:
        self.schema = SCORES.schema
        self._tasks, self._attempts = tasks, attempts

    def mapInArrow(self, function: Write, schema: T.StructType) -> Frame:
        self._function, self._names = function, schema.names
        return self

    def collect(self) -> list[tuple[object, ...]]:
        rows: list[tuple[object, ...]] = []
        for task in self._tasks:
            for _ in range(self._attempts):
                batches = list(self._function(iter(task)))
            found = [row for batch in batches for row in batch.to_pylist(maps_as_pydicts="strict")]
            rows += [tuple(row[name] for name in self._names) for row in found]
        return rows


def row(site: str, query: int, task: str | None = "t", **more: object) -> dict[str, object]:
    return {"site": site, "task": task, "query_id": query, **more}


def batch(*rows: dict[str, object]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(list(rows), HERE)


def destination(table: Table, root: str) -> Destination:
    return Destination(table, root, "tables/scores/r1.1/w", ObjectStorageSettings())


def written(root: Path, frame: Any, table: Table = SCORES) -> list[DataFile]:
    return sorted(
        write_files(frame, destination(table, str(root))),
        key=lambda file: (*map(str, file.values.values()), file.rows),
    )


def rows_of(root: Path, files: Iterable[DataFile], *names: str) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(row[name] for name in names) for row in pq.read_table(root / file.path).to_pylist()] for file in files
    ]


def test_a_file_has_the_rows_of_one_site_and_of_one_value_of_other_columns(tmp_path: Path) -> None:
    frame = Frame(
        [batch(row("b", 2), row("it's=here/ü%", 7, None), row("b", 1)), batch(row("b", 3, None), row("b", 0))],
        [batch(row("b", 5))],
    )
    files = written(tmp_path, frame)
    assert [(*file.values.values(), file.rows) for file in files] == [
        ("b", None, 1),
        ("b", "t", 1),
        ("b", "t", 3),
        ("it's=here/ü%", None, 1),
    ]
    assert rows_of(tmp_path, files, "query_id") == [[(3,)], [(5,)], [(0,), (1,), (2,)], [(7,)]]
    assert [file.bytes for file in files] == [(tmp_path / file.path).stat().st_size for file in files]
    assert {str(Path(file.path).parent) for file in files} == {"tables/scores/r1.1/w"}
    assert {file.name for file in tmp_path.rglob("*.*") if file.is_file()} == {Path(file.path).name for file in files}
    assert all(Path(file.path).name.isascii() for file in files)


def test_nulls_are_counted_by_column_and_not_within_arrays(tmp_path: Path) -> None:
    frame = Frame([batch(row("a", 1, score=0.5), row("a", 2), row("a", 3, measures=[{"name": None}]))])
    (file,) = written(tmp_path, frame)
    assert file.nulls == {"site": 0, "task": 0, "query_id": 0, "score": 2, "at": 3}


def test_times_are_stored_in_microseconds_of_utc_and_arrays_of_structs_as_they_are(tmp_path: Path) -> None:
    measures = [{"name": "P@1", "value": 0.5}, {"name": None, "value": None}]
    at = NOON.astimezone(timezone(timedelta(hours=3)))
    (file,) = written(tmp_path, Frame([batch(row("a", 1, at=at, measures=measures))]))
    stored = pq.read_table(tmp_path / file.path)
    assert stored.schema.field("at").type == pa.timestamp("us", "UTC")
    assert stored.select(["at", "measures"]).to_pylist() == [{"at": NOON, "measures": measures}]
    assert all(field.nullable for field in stored.schema)


def test_each_row_group_of_a_long_file_is_in_order_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_ROWS", 4)
    batches = [batch(row("a", 9 - number), row("b", number)) for number in range(5)]
    files = written(tmp_path, Frame(batches))
    assert rows_of(tmp_path, files, "query_id") == [[(8,), (9,), (6,), (7,), (5,)], [(0,), (1,), (2,), (3,), (4,)]]
    assert [file.nulls["score"] for file in files] == [5, 5]
    footers = [pq.read_metadata(tmp_path / file.path) for file in files]
    assert [footer.num_row_groups for footer in footers] == [3, 3]


def test_many_bytes_are_written_before_many_rows_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_BYTES", 1)
    (file,) = written(tmp_path, Frame([batch(row("a", 2)), batch(row("a", 1))]))
    assert pq.read_metadata(tmp_path / file.path).num_row_groups == 2


def test_no_rows_have_no_files(tmp_path: Path) -> None:
    assert written(tmp_path, Frame([], [batch()])) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_table_that_no_column_divides_has_a_file_of_each_task(tmp_path: Path) -> None:
    whole = replace(SCORES, partition_by=())
    files = written(tmp_path, Frame([batch(row("b", 2), row("a", 3))], [batch(row("c", 1))]), whole)
    assert [(file.values, file.rows) for file in files] == [({}, 1), ({}, 2)]
    assert rows_of(tmp_path, files, "site") == [[("c",)], [("a",), ("b",)]]


def test_files_of_a_task_that_is_repeated_are_named_once(tmp_path: Path) -> None:
    files = written(tmp_path, Frame([batch(row("a", 1))], attempts=3))
    assert [file.rows for file in files] == [1]
    assert len(list(tmp_path.rglob("*.parquet"))) == 3


def test_a_task_that_fails_leaves_no_file_under_its_name(tmp_path: Path) -> None:
    def fails() -> Iterator[pa.RecordBatch]:
        yield batch(row("a", 1))
        raise RuntimeError("lost executor")

    with pytest.raises(RuntimeError, match="lost executor"):
        written(tmp_path, Frame([batch(row("b", 1))], fails()))
    (complete,) = tmp_path.rglob("*.parquet")
    assert pq.read_table(complete, columns=["site"]).to_pylist() == [{"site": "b"}]


def test_rows_of_several_tables_go_to_the_files_of_theirs(tmp_path: Path) -> None:
    queries = Table("queries", "Queries of a site.", SCORES.columns[:3], key=("query_id",), partition_by=("site",))
    rows = batch(row("a", 2), row("a", 1), row("b", 3))
    both = rows.append_column(TABLE, pa.array(["scores", "queries", "queries"]))
    to = [destination(SCORES, str(tmp_path)), replace(destination(queries, str(tmp_path)), folder="tables/queries")]
    files = sorted(
        write_files(Frame([both]), *to), key=lambda file: (file.path.startswith("tables/scores"), str(file.site))
    )
    assert rows_of(tmp_path, files, "query_id") == [[(1,)], [(3,)], [(2,)]]
    assert [pq.read_schema(tmp_path / file.path).names for file in files[1:]] == [
        ["site", "task", "query_id"],
        SCORES.schema.names,
    ]


def test_a_task_writes_its_own_rows(tmp_path: Path) -> None:
    with destination(SCORES, str(tmp_path)).writer() as writer:
        writer.add(batch(row("b", 2), row("a", 3)))
        writer.add(batch(row("b", 1)))
        assert not list(tmp_path.rglob("*.parquet"))
        files = sorted(writer.finish(), key=lambda file: file.rows)
    assert rows_of(tmp_path, files, "query_id") == [[(3,)], [(1,), (2,)]]
    with destination(SCORES, str(tmp_path)).writer() as writer:
        assert writer.finish() == []


def test_files_for_a_bucket_are_sent_when_all_of_a_task_are_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: dict[str, int] = {}

    def send(source: Path, location: str, storage: ObjectStorageSettings) -> None:
        sent[location] = pq.read_metadata(source).num_rows

    monkeypatch.setattr("cqa_spark.object_store.locations.send", send)
    frame = Frame([batch(row("a", 1), row("b", 2)), batch(row("a", 3))])
    files = write_files(frame, destination(SCORES, "s3a://bucket/lake/"))  # type: ignore[arg-type]
    assert sent == {f"s3a://bucket/lake/{file.path}": file.rows for file in files}
    assert sorted(sent.values()) == [1, 2]


class PlainFrame(Frame):
    """A frame of sites and scores."""

    def __init__(self, *tasks: Iterable[pa.RecordBatch]) -> None:
        super().__init__(*tasks)
        self.schema = T.StructType([T.StructField("site", T.StringType()), T.StructField("score", T.LongType())])


def plain(*rows: tuple[str | None, int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"site": site, "score": score} for site, score in rows])


def test_plain_files_lie_in_folders_by_value_and_replace_what_lay_there(tmp_path: Path) -> None:
    storage = ObjectStorageSettings()
    (tmp_path / "old.parquet").write_bytes(b"old")
    frame = PlainFrame([plain(("beer", 1), (None, 2))], [plain(("beer", 3))])
    names = write_plain_files(frame, str(tmp_path), storage, partition_by=["site"])  # type: ignore[arg-type]
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == sorted([*names, "_SUCCESS"])
    assert sorted(name.partition("/")[0] for name in names) == [
        "site=__HIVE_DEFAULT_PARTITION__", "site=beer", "site=beer",
    ]  # fmt: skip
    rows = [pq.ParquetFile(tmp_path / name).read().to_pylist() for name in names if name.startswith("site=beer")]
    assert sorted(rows, key=str) == [[{"score": 1}], [{"score": 3}]]


def test_a_failed_write_of_plain_files_is_not_marked_as_complete(tmp_path: Path) -> None:
    (tmp_path / "_SUCCESS").write_bytes(b"")
    with pytest.raises(pa.ArrowInvalid):
        write_plain_files(  # type: ignore[arg-type]
            PlainFrame([pa.RecordBatch.from_pylist([{"site": "beer", "score": "many"}])]),
            str(tmp_path),
            ObjectStorageSettings(),
        )
    assert not (tmp_path / "_SUCCESS").exists()
