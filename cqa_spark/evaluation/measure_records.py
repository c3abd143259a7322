"""The measures of several rankings as records, as the commands on files write them: in all and by query."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cqa_spark.evaluation.judged_rankings import JudgedRanking
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measuring import evaluate, parsed, query_components


class ReportedMeasure(NamedTuple):
    """A measure of the commands on files.

    Attributes:
        measure: as written, such as ``MAP@10``, or a measure that has no name in the settings.
        key: its key in JSON and CSV.
        heading: its column in tables.
    """

    measure: str | Measure
    key: str
    heading: str


def records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each ranking: ``file``, ``queries``, and fractions by key; None where there is no value."""
    return [
        {"file": ranking.name, "queries": len(ranking.queries)} | _keyed(measures, evaluate(ranking, _of(measures)))
        for ranking in rankings
    ]


def query_records(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> list[dict[str, Any]]:
    """The measures of each query of each ranking: ``file``, ``query``, and fractions by key."""
    keys = ["file", "query", *(reported.key for reported in measures)]
    rows: list[dict[str, Any]] = []
    for ranking in rankings:
        names = [[ranking.name] * len(ranking.queries), ranking.queries.to_pylist()]
        found = query_components(ranking, _of(measures))
        values = [
            found[each].values(each) if each in found and each.has_query_values else [None] * len(ranking.queries)
            for each in map(parsed, _of(measures))
        ]
        rows += [dict(zip(keys, row, strict=True)) for row in zip(*names, *values, strict=True)]
    return rows


def _of(measures: Sequence[ReportedMeasure]) -> list[str | Measure]:
    return [reported.measure for reported in measures]


def _keyed(measures: Sequence[ReportedMeasure], values: Mapping[str, float | None]) -> dict[str, float | None]:
    return dict(zip([reported.key for reported in measures], values.values(), strict=True))
