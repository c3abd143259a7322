"""Writing and reading versions of declared tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from cqa_spark.errors import ContractError
from cqa_spark.lake.run import FEW_SITES
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table, column

SCORES = Table(
    "scores",
    "Made for the test.",
    (column("site", "string", "the site"), column("score", "int", "points")),
    key=("site",),
)

IN_2001 = 1_000_000_000.0


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, str(tmp_path / "lake"))


def test_each_write_is_a_version_that_stays_readable(lake: Lake, spark: SparkSession) -> None:
    first = lake.write(SCORES, spark.createDataFrame([("a", 1)], SCORES.schema), author="run-1")
    second = lake.write(SCORES, spark.createDataFrame([("a", 2), ("b", 3)], SCORES.schema), author="run-2")
    assert (first.version, first.rows) == (0, 1)
    assert (second.version, second.rows) == (1, 2)
    assert lake.read(SCORES, 0).collect() == [Row(site="a", score=1)]
    assert lake.read(SCORES, 1).orderBy("site").collect() == [Row(site="a", score=2), Row(site="b", score=3)]


def test_no_rows_in_place_of_no_rows_is_no_new_version(lake: Lake, spark: SparkSession) -> None:
    for author in ("run-1", "run-2"):
        written = lake.write(SCORES, spark.createDataFrame([], SCORES.schema), author=author)
        assert (written.version, written.rows) == (0, 0)


def test_column_comments_are_stored_with_the_table(lake: Lake, spark: SparkSession) -> None:
    lake.write(SCORES, spark.createDataFrame([("a", 1)], "site string, score int"), author="run-1")
    stored = spark.read.format("delta").load(lake.path("scores")).schema
    assert {field.name: field.metadata["comment"] for field in stored} == {"site": "the site", "score": "points"}


def test_a_frame_of_another_shape_is_refused_with_every_difference(lake: Lake, spark: SparkSession) -> None:
    wrong = spark.createDataFrame([("1", True)], "score string, extra boolean")
    with pytest.raises(ContractError) as refused:
        lake.write(SCORES, wrong, author="run-1")
    assert refused.value.problem == ("table scores: missing site; undeclared extra; score is string, declared int")
    assert not lake.exists(SCORES)


def test_a_column_that_was_declared_since_is_null_in_older_versions(lake: Lake, spark: SparkSession) -> None:
    lake.write(SCORES, spark.createDataFrame([("a", 1)], SCORES.schema), author="run-1")
    new = longer(SCORES)
    lake.write(new, spark.createDataFrame([("a", 2, "b")], new.schema), author="run-2")
    assert lake.read(new, 0).collect() == [Row(site="a", score=1, judge=None)]
    assert lake.read(new, 1).collect() == [Row(site="a", score=2, judge="b")]
    with pytest.raises(ContractError, match="undeclared judge"):
        lake.read(SCORES, 1)


def longer(table: Table) -> Table:
    """The table as a later release declares it."""
    return replace(table, columns=(*table.columns, column("judge", "string", "who gave the points")))


WAYS: dict[str, Callable[[Lake, Table, DataFrame], int]] = {
    "write": lambda lake, table, frame: lake.write(table, frame, author="run-2").version,
    "replace": lambda lake, table, frame: lake.replace(
        table, frame, sites=["b"], base=0, author="run-2"
    ).version,
    "add": lambda lake, table, frame: lake.replace(table, frame, sites=(), base=0, author="run-2").version,
    "commit": lambda lake, table, frame: lake.commit(
        table, lake.set_aside(table, frame), sites=["b"], base=0, author="run-2"
    ).version,
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_keeps_a_column_that_was_declared_since(lake: Lake, spark: SparkSession, way: str) -> None:
    old = replace(SCORES, partition_by=("site",))
    lake.write(old, spark.createDataFrame([("a", 1)], old.schema), author="run-1")
    new = longer(old)
    version = WAYS[way](lake, new, spark.createDataFrame([("b", 2, "c")], new.schema))
    kept = [] if way == "write" else [("a", 1, None)]
    assert sorted(tuple(row) for row in lake.read(new, version).collect()) == [*kept, ("b", 2, "c")]
    stored = spark.read.format("delta").load(lake.path(new.name)).schema
    assert stored["judge"].metadata["comment"] == "who gave the points"


def test_old_versions_stay_readable_however_old(lake: Lake, spark: SparkSession) -> None:
    """What was published long ago still stands where every night since has failed."""
    log = Path(lake.path("scores"), "_delta_log")
    for number in range(25):  # at every tenth version Delta sums the log up, and forgets what lies long before
        lake.write(SCORES, spark.createDataFrame([("a", number)], SCORES.schema), author="run")
        for commit in log.glob("*.json"):
            os.utime(commit, (IN_2001 + number,) * 2)
    assert lake.read(SCORES, 1).collect() == [Row(site="a", score=1)]


BY_SITE = replace(SCORES, partition_by=("site",), key=("site", "score"))


@pytest.fixture
def adaptive(spark: SparkSession) -> Iterator[None]:
    """Adaptive execution, which the session of the tests does without."""
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    yield
    spark.conf.set("spark.sql.adaptive.enabled", before)


@pytest.mark.usefixtures("adaptive")
def test_a_site_of_many_has_one_file_and_keeps_it_while_another_changes(lake: Lake, spark: SparkSession) -> None:
    sites = "abcdefghi"
    assert len(sites) > FEW_SITES
    rows = spark.createDataFrame([(site, score) for score in range(8) for site in sites], SCORES.schema)
    lake.write(BY_SITE, rows.repartition(4), author="run-1", rebalance=True)
    before = lake.state(BY_SITE, 0).files_by_site()
    assert {site: len(files) for site, files in before.items()} == dict.fromkeys(sites, 1)
    new = spark.createDataFrame([("b", 9)], SCORES.schema)
    version = lake.replace(BY_SITE, new, sites=["b"], base=0, author="run-2").version
    after = lake.state(BY_SITE, version).files_by_site()
    assert {site for site in sites if after[site] != before[site]} == {"b"}
    assert [row["score"] for row in lake.read(BY_SITE, version).where("site = 'b'").collect()] == [9]
    assert lake.read(BY_SITE, version).count() == 8 * (len(sites) - 1) + 1
