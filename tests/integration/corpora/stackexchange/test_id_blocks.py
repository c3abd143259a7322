"""Which blocks of a file differ from those of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.corpora.stackexchange.dump_files import find_dump_files
from cqa_spark.corpora.stackexchange.file_probe import Layout, probe
from cqa_spark.corpora.stackexchange.id_blocks import compare_blocks, id_blocks, stored_blocks
from cqa_spark.corpora.stackexchange.lines import OpenFile

ROWS = ['<row Id="-1" Reputation="1" />', '<row Id="31" Reputation="2" />', '<row Id="32" Reputation="3" />']


def blocks(spark: SparkSession, folder: Path, rows: Sequence[str], *, end: str = "\n") -> DataFrame:
    folder.mkdir()
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<users>", *rows, "</users>"]
    (folder / "Users.xml").write_text(end.join(lines) + end, encoding="utf-8", newline="")
    (file,) = find_dump_files([str(folder)], site="s")
    return id_blocks(spark, {0: OpenFile(file, probe(spark, file))}, (Layout.ROW_PER_LINE, Layout.ROW_PER_OLD_LINE))


def differing(before: DataFrame, now: DataFrame, *, reads_counters: bool = True) -> list[int | None]:
    compared = compare_blocks(before, now, reads_counters=reads_counters)
    return [row["block"] for row in compared.where("differs").orderBy("block").collect()]


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
    now = blocks(spark, tmp_path / "b", [ROWS[1], f"{ROWS[2]} ", '<row Id="70" Reputation="1" />'])
    assert differing(before, now) == [-1, 1, 2]
    assert differing(now, before) == [-1, 1, 2]


def test_a_row_that_names_its_id_last_is_outside_all_blocks(spark: SparkSession, tmp_path: Path) -> None:
    before = blocks(spark, tmp_path / "a", ROWS)
    now = blocks(spark, tmp_path / "b", [*ROWS, '<row Reputation="3" Id="33" />'])
    assert differing(before, now) == [None]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_what_ends_a_line_says_nothing(spark: SparkSession, tmp_path: Path, end: str) -> None:
    other = blocks(spark, tmp_path / "b", ROWS, end=end)
    assert differing(blocks(spark, tmp_path / "a", ROWS), other) == []


def test_counters_differ_only_for_those_who_read_them(spark: SparkSession, tmp_path: Path) -> None:
    """Not a text, not another attribute, not a number behind a long text, not a missing one."""
    long = "x" * 256
    before = blocks(
        spark,
        tmp_path / "a",
        [
            '<row Id="1" Reputation="1" LastAccessDate="2016-05-06T20:34:57.983" />',
            '<row Id="33" Reputation="1" DisplayName="1" />',
            '<row Id="65" Reputation="one" />',
            f'<row Id="97" DisplayName="{long}" Reputation="1" />',
            '<row Id="129" Reputation="1" />',
        ],
    )
    now = blocks(
        spark,
        tmp_path / "b",
        [
            '<row Id="1" Reputation="2" LastAccessDate="2016-05-07T20:34:57.983" />',
            '<row Id="33" Reputation="1" DisplayName="2" />',
            '<row Id="65" Reputation="two" />',
            f'<row Id="97" DisplayName="{long}" Reputation="2" />',
            '<row Id="129" />',
        ],
        end="\r\n",
    )
    assert differing(before, now) == [0, 1, 2, 3, 4]
    assert differing(before, now, reads_counters=False) == [1, 2, 3, 4]


@pytest.mark.parametrize("length", range(240, 262))
def test_a_character_that_the_head_of_a_line_cuts_counts(spark: SparkSession, tmp_path: Path, length: int) -> None:
    """The two characters differ in their first byte only."""
    one, other = (
        blocks(spark, tmp_path / name, [f'<row Id="1" DisplayName="{"x" * (length - 25)}{letter}" />'])
        for name, letter in (("a", "\u00a9"), ("b", "\u00e9"))
    )
    assert differing(one, other, reads_counters=False) == [0]


def test_blocks_that_are_not_read_keep_the_digests_of_what_is_stored(spark: SparkSession, tmp_path: Path) -> None:
    """Who reads counters later finds the first block changed."""
    before = blocks(spark, tmp_path / "a", ROWS)
    now = blocks(spark, tmp_path / "b", [ROWS[0].replace('n="1"', 'n="8"'), f"{ROWS[1]} "])
    stored = stored_blocks(compare_blocks(before, now, reads_counters=False))
    kept = {tuple(row) for row in before.collect()} & {tuple(row) for row in stored.collect()}
    assert sorted((row[2] for row in kept), key=str) == [-1, None]
    assert differing(stored, now) == [-1]
    assert differing(stored, now, reads_counters=False) == []
