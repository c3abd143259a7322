"""Tables as Spark writes and reads them: what only a session can break."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import types as T
from small_runs import held, opened

from cqa_spark.errors import ContractError
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.run import FEW_SITES
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.lake.table import Table, column

MEASURE = T.StructType([T.StructField("name", T.StringType()), T.StructField("value", T.DoubleType())])
SCORES = Table(
    "scores",
    "Made for the test.",
    (
        column("site", "string", "the site"),
        column("score", "int", "points"),
        column("at", "timestamp", "when, UTC"),
        column("measures", T.ArrayType(MEASURE), "of the site"),
        column("counts", T.MapType(T.StringType(), T.LongType()), "by name"),
    ),
    key=("site", "score"),
    partition_by=("site",),
)
NOON = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC).replace(tzinfo=None)
A = ("it's=here/ü%", 1, NOON, [("P@1", 0.5), (None, None)], {"b": 2})
B = ("b", 2, None, None, None)


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "lake"))


def rows(lake: Lake, *values: tuple[object, ...], table: Table = SCORES) -> DataFrame:
    complete = [(*value, *[None] * (len(table.columns) - len(value))) for value in values]
    return lake.spark.createDataFrame(complete, table.schema)


def scores(frame: DataFrame) -> list[tuple[str, int]]:
    return sorted(tuple(row) for row in frame.select("site", "score").collect())


def test_a_run_reads_what_it_has_written_replaced_and_appended(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        assert run.write(SCORES, rows(lake, A, B)) == 2
        assert run.read(SCORES).orderBy("score").collect() == [Row(*A[:3], [Row(*m) for m in A[3]], A[4]), Row(*B)]
        assert {file.site: file.rows for file in run.files(SCORES).files} == {A[0]: 1, "b": 1}
        before = run.files(SCORES)
        new = rows(lake, ("b", 3), ("b", 4), ("c", 5))
        assert run.replace(SCORES, new, sites=["b", "c"], base=before) == 3
        assert scores(run.read(SCORES)) == [("b", 3), ("b", 4), ("c", 5), (A[0], 1)]
        run.append(SCORES, rows(lake, ("c", 6)))
        assert run.record.tables == {"scores": 5}
    assert scores(snapshot_of(lake, "r1").read(SCORES)) == [("b", 3), ("b", 4), ("c", 5), ("c", 6), (A[0], 1)]
    assert run.files(SCORES).null_shares() == {"site": 0.0, "score": 0.0, "at": 0.8}


def test_a_table_of_no_rows_has_no_files_and_is_read(lake: Lake) -> None:
    with opened(lake, "r1") as run:
        assert run.write(SCORES, rows(lake)) == 0
        assert run.read(SCORES).collect() == []
        assert run.read(SCORES).schema == SCORES.schema


def test_tables_that_are_written_together_have_the_rows_of_their_frames(lake: Lake) -> None:
    columns = (column("site", "string", "the site"), column("name", "string", "a name"))
    names = Table("names", "Made for the test.", columns, key=("name",), partition_by=("site",))
    none = replace(names, name="none")
    with opened(lake, "r1") as run:
        named = lake.spark.createDataFrame([("b", "second"), ("b", None)], names.schema)
        run.write_together({SCORES: rows(lake, A, B), names: named, none: none.empty(lake.spark)})
        assert run.read(SCORES).orderBy("score").collect() == [Row(*A[:3], [Row(*m) for m in A[3]], A[4]), Row(*B)]
        assert run.read(names).orderBy("name").collect() == [Row("b", None), Row("b", "second")]
        assert run.files(none).files == ()
        assert run.record.tables == {"scores": 2, "names": 2, "none": 0}


def test_a_frame_of_another_shape_is_refused_with_every_difference(lake: Lake, spark: SparkSession) -> None:
    table = replace(SCORES, columns=SCORES.columns[:2])
    wrong = spark.createDataFrame([("1", True)], "score string, extra boolean")
    with opened(lake, "r1") as run:
        with pytest.raises(ContractError) as refused:
            run.write(table, wrong)
        assert refused.value.problem == "table scores: missing site; undeclared extra; score is string, declared int"
        assert not run.has(table)


def test_a_column_that_was_declared_since_is_null_and_one_that_is_no_longer_is_not_read(lake: Lake) -> None:
    newer = replace(SCORES, columns=(*SCORES.columns, column("judge", "string", "who gave the points")))
    with opened(lake, "r1") as run:
        run.write(SCORES, rows(lake, A, B))
        run.replace(
            newer, rows(lake, ("b", 3, None, None, None, "j"), table=newer), sites=["b"], base=run.files(SCORES)
        )
        found = run.read(newer).select("site", "score", "judge").orderBy("score").collect()
        assert found == [Row(A[0], 1, None), Row("b", 3, "j")]
        assert run.stored_columns(newer) == tuple(newer.schema.names)
        assert scores(run.read(replace(SCORES, columns=SCORES.columns[:2]))) == [("b", 3), (A[0], 1)]


@pytest.fixture
def adaptive(spark: SparkSession) -> Iterator[None]:
    """Adaptive execution, which the session of the tests does without."""
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    yield
    spark.conf.set("spark.sql.adaptive.enabled", before)


@pytest.mark.usefixtures("adaptive")
def test_a_site_of_many_has_one_file_and_keeps_it_while_another_changes(lake: Lake) -> None:
    sites = "abcdefghi"
    assert len(sites) > FEW_SITES
    with opened(lake, "r1") as run:
        many = rows(lake, *[(site, score) for score in range(8) for site in sites]).repartition(4)
        run.put(SCORES, run.new_files(SCORES, many, rebalance=True))
        before = {file.site: file.path for file in run.files(SCORES).files}
        assert len(before) == len(run.files(SCORES).files) == len(sites)
        run.replace(SCORES, rows(lake, ("b", 9)), sites=["b"], base=run.files(SCORES))
        after = {file.site: file.path for file in run.files(SCORES).files}
        assert {site for site in sites if after[site] != before[site]} == {"b"}
        assert run.rows(SCORES) == run.read(SCORES).count() == 8 * (len(sites) - 1) + 1


def test_a_task_that_fails_changes_no_table(lake: Lake) -> None:
    def fail(batches: Iterable[object]) -> Iterator[object]:
        yield from batches
        raise RuntimeError("bad luck")

    with held(lake) as leased, opened(leased, "r1") as run:
        run.write(SCORES, rows(lake, A))
        broken = rows(lake, B).mapInArrow(fail, SCORES.schema)
        with pytest.raises(PythonException, match="bad luck"):
            run.append(SCORES, broken)
        assert scores(run.read(SCORES)) == [(A[0], 1)]
    assert scores(snapshot_of(lake, "r1").read(SCORES)) == [(A[0], 1)]
