"""Which blocks of a file differ from those of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.file_probe import Layout, probe
from cqa_spark.corpora.stackexchange.id_blocks import compare_blocks, id_blocks
from cqa_spark.corpora.stackexchange.lines import OpenFile

ROWS = ['<row Id="-1" Reputation="1" />', '<row Id="255" Reputation="2" />', '<row Id="256" Reputation="3" />']


def blocks(spark: SparkSession, folder: Path, rows: Sequence[str], *, end: str = "\n") -> DataFrame:
    folder.mkdir()
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<users>", *rows, "</users>"]
    (folder / "Users.xml").write_text(end.join(lines) + end, encoding="utf-8", newline="")
    (file,) = find_dump_files([str(folder)], site="s")
    return id_blocks(spark, {0: OpenFile(file, probe(spark, file))}, (Layout.ROW_PER_LINE, Layout.ROW_PER_OLD_LINE))


def differing(before: DataFrame, now: DataFrame) -> list[int | None]:
    return [row["block"] for row in compare_blocks(before, now).where("differs").orderBy("block").collect()]


def test_lines_by_block(spark: SparkSession, tmp_path: Path) -> None:
    """Negative ids have blocks too; the three lines that are no rows have none."""
    found = blocks(spark, tmp_path / "a", ROWS).orderBy("block").collect()
    assert [(row["site"], row["table_name"], row["block"], row["lines"]) for row in found] == [
        ("s", "users", None, 3), ("s", "users", -1, 1), ("s", "users", 0, 1), ("s", "users", 1, 1),
    ]  # fmt: skip


def test_the_order_of_lines_says_nothing(spark: SparkSession, tmp_path: Path) -> None:
    assert differing(blocks(spark, tmp_path / "a", ROWS), blocks(spark, tmp_path / "b", ROWS[::-1])) == []


def test_a_block_differs_where_a_line_came_went_or_changed(spark: SparkSession, tmp_path: Path) -> None:
    before = blocks(spark, tmp_path / "a", ROWS)
    now = blocks(spark, tmp_path / "b", [ROWS[1], f"{ROWS[2]} ", '<row Id="600" Reputation="1" />'])
    assert differing(before, now) == [-1, 1, 2]
    assert differing(now, before) == [-1, 1, 2]


def test_a_row_that_names_its_id_last_is_outside_all_blocks(spark: SparkSession, tmp_path: Path) -> None:
    before = blocks(spark, tmp_path / "a", ROWS)
    now = blocks(spark, tmp_path / "b", [*ROWS, '<row Reputation="3" Id="257" />'])
    assert differing(before, now) == [None]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_what_ends_a_line_says_nothing(spark: SparkSession, tmp_path: Path, end: str) -> None:
    other = blocks(spark, tmp_path / "b", ROWS, end=end)
    assert differing(blocks(spark, tmp_path / "a", ROWS), other) == []
