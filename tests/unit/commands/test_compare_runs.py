"""What two nights are worth, side by side."""

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


def test_orders_are_compared_by_population_and_measure_whichever_run_has_them() -> None:
    runs: Any = [
        Night(replace(MINE, population="nights", measure="P@1"), replace(MINE, value=0.6)),
        Night(MINE, SIMPLE, replace(MINE, band="older")),
    ]
    found = [(row.population, row.system, row.measure, row.values) for row in _worth(runs)]
    assert found == [
        ("replayed nights", "mine", "P@1", (0.7, None)),
        ("labelled queries, test", "mine", "MAP@10", (0.6, 0.7)),
        ("labelled queries, test", "simple", "MAP@10", (None, 0.5)),
    ]
