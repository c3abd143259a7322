"""The data card of a preferred-answer data set for a terminal, beside that of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Row

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.preferred_answer.published import TABLE_1
from cqa_spark.terminal import TextTable, number

SPLITS = ("train", "dev", "test", EVERY)


def card_table(card: Sequence[Row], name: str) -> TextTable:
    """A line for every measure: by split, over all, and the paper's.

    Args:
        card: the rows of the table ``data_card``.
        name: small, large or full.
    """
    over_sites = {(row["split"], row["measure"]): row["value"] for row in card if row["site"] == EVERY}
    splits = [split for split in SPLITS if any(found == split for found, _ in over_sites)]
    table = TextTable("", *map(number, map(_heading, splits)), number("paper"), title=f"Data set {name}")
    for measure in _in_order({measure for _, measure in over_sites}):
        values = [_written(measure, over_sites.get((split, measure))) for split in splits]
        table.add_row(measure.replace("_", " "), *values, _written(measure, TABLE_1[name].get(measure)))
    return table


def shortfall(card: Sequence[Row], name: str, sizes: Mapping[str, int]) -> str:
    """A sentence where there are fewer questions than the name of the data set promises; empty where there are not."""
    found = next(
        int(row["value"]) for row in card
        if (row["site"], row["split"], row["measure"]) == (EVERY, EVERY, "questions")
    )  # fmt: skip
    if found >= sizes.get(name, 0):
        return ""
    return f"{name} has {sizes[name]:,} questions; there are only {found:,} that fit, and all of them are taken."


def _in_order(measures: set[str]) -> list[str]:
    first = [measure for measure in TABLE_1["small"] if measure in measures]
    return [*first, *sorted(measures - set(first))]


def _heading(split: str) -> str:
    return "all" if split == EVERY else split


def _written(measure: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1%}" if "share" in measure else f"{value:,.0f}"
