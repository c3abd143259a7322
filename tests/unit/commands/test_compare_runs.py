"""What two nights are worth, side by side."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from cqa_spark.commands.compare_runs import _worth
from cqa_spark.lake.schemas.night import Worth

MINE = Worth("mine", "test", "all", "MAP@10", 0.7, 0.6, 0.8, 0.2, 0.1, 0.3, 0.01, 50, 50)
SIMPLE = replace(MINE, order="simple", value=0.5)


class Night:
    def __init__(self, *rows: Worth) -> None:
        self.rows = rows

    def entries_or_none(self, table: Any) -> list[dict[str, Any]]:
        return [*map(asdict, self.rows)]


def compared(before: Any, after: Any) -> Any:
    return _worth(before, after)


def test_orders_are_compared_by_what_the_newer_run_measures_first() -> None:
    before = Night(replace(MINE, value=0.6), replace(MINE, measure="P@1", value=0.1))
    title, rows = compared(before, Night(MINE, SIMPLE, replace(MINE, population="train", value=0.9)))
    assert title == "MAP@10 on labelled queries of the test split"
    assert rows == [("mine", 0.6, 0.7), ("simple", None, 0.5)]


def test_replayed_nights_are_named_and_a_run_without_any_keeps_the_values_of_the_other() -> None:
    nights = Night(replace(MINE, population="nights", measure="P@1"))
    assert compared(nights, Night()) == ("P@1 on replayed nights", [("mine", 0.7, None)])
    assert compared(Night(), Night()) == ("nothing is measured", [])
