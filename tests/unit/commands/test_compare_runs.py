"""What two nights are worth, side by side."""

from typing import Any

from cqa_spark.commands.compare_runs import _unpaired
from cqa_spark.lake.journal import Entry


class Night:
    def __init__(self, *rows: Entry) -> None:
        self.rows = rows

    def entries_or_none(self, table: Any) -> list[Entry]:
        return [*self.rows]


def metric(system: str, value: float, split: str = "nights", queries: int = 50, **part: str) -> Entry:
    return {
        "system": system, "task": "t", "split": split, "measure": "P@1", "value": value, "queries": queries, **part,
    }  # fmt: skip


def test_other_queries_are_compared_by_split_and_measure_whichever_run_has_them() -> None:
    runs: Any = [
        Night(metric("mine", 0.6), metric("mine", 0.7, "test"), metric("mine", 0.1, "dev")),
        Night(
            metric("mine", 0.7),
            metric("simple", 0.5),
            metric("mine", 0.9, band="older"),
            metric("mine", 0.2, population="when trained"),
            metric("mine", 0.8, "test", 60),
            metric("mine", 0.2, "dev"),
        ),
    ]
    assert [(row.population, row.system, row.measure, row.values) for row in _unpaired(runs)] == [
        ("replayed nights", "mine", "P@1", (0.6, 0.7)),
        ("t, test: all queries of each run", "mine", "P@1", (0.7, 0.8)),
        ("replayed nights", "simple", "P@1", (None, 0.5)),
    ]
