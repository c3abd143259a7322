"""Rankings with the judgments of their queries: measures, standard errors, and both as JSON and as a table.

Official files, runs of TREC and mappings all become judged rankings first, without Spark; ``compare_rankings`` compares
them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_query import RankedQuery

if TYPE_CHECKING:
    from cqa_spark.process.terminal import TextTable


class JudgedRanking(NamedTuple):
    """The judged queries of a data set, as ranked by a file or a system.

    Attributes:
        name: path of the file as given, or name of the ranking.
        queries: the queries by id; resamples depend on their order.
        predicts_labels: whether it predicts which candidates are relevant; a gold file does not, whose labels are the
            judgments.
    """

    name: str
    queries: Mapping[str, RankedQuery]
    predicts_labels: bool = True

    def has(self, measure: Measure) -> bool:
        """Whether the measure has a value."""
        return self.predicts_labels or not measure.uses_labels


class ReportedMeasure(NamedTuple):
    """A measure of the commands on files.

    Attributes:
        measure: as written, such as ``MAP@10``, or a measure that has no name in the settings.
        key: its key in JSON.
        heading: its column in the table.
    """

    measure: str | Measure
    key: str
    heading: str


def evaluate(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float | None]:
    """Measures of a ranking over its queries.

    Args:
        ranking: the ranking.
        measures: measures, or their names as written.
        at_random: whether to compute the expectation over all orders, for a random ranking.

    Returns:
        Fractions in full precision, by display name; None for a measure of labels if the ranking predicts none.

    Raises:
        ConfigError: an unknown measure.
    """
    parsed = [*map(_parsed, measures)]
    return {
        str(each): each.total(_components(each, ranking, at_random)) if ranking.has(each) else None for each in parsed
    }


def standard_errors(
    ranking: JudgedRanking, measures: Sequence[str | Measure], *, at_random: bool = False
) -> dict[str, float]:
    """Standard errors over queries, by bootstrap, of the measures that have a value; the arguments of ``evaluate``."""
    import numpy as np

    components = {
        measure: np.array([list(_components(measure, ranking, at_random))])
        for measure in map(_parsed, measures)
        if ranking.has(measure)
    }
    return {str(measure): float(ends.standard_error[0]) for measure, ends in bootstrap_intervals(components).items()}


def to_json(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure]) -> str:
    """The measures as a JSON array, one object per ranking: fractions in full precision; null where there is none."""
    rows = [
        {"file": ranking.name, "queries": len(ranking.queries)}
        | dict(zip([each.key for each in measures], _values(ranking, measures), strict=True))
        for ranking in rankings
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def to_table(rankings: Sequence[JudgedRanking], measures: Sequence[ReportedMeasure], about: str = "") -> TextTable:
    """The measures in percent; blank where there is none.

    Args:
        rankings: the rankings.
        measures: the measures.
        about: what the measures can be compared with.
    """
    from cqa_spark.process.terminal import TextTable, number

    names = ("queries", *(each.heading for each in measures))
    caption = "\n".join(filter(None, ("in percent; --format json: fractions", about)))
    table = TextTable("file", *map(number, names), caption=caption)
    for ranking in rankings:
        percent = ["" if value is None else f"{100 * value:.2f}" for value in _values(ranking, measures)]
        table.add_row(Path(ranking.name).name, str(len(ranking.queries)), *percent)
    return table


def _values(ranking: JudgedRanking, measures: Sequence[ReportedMeasure]) -> list[float | None]:
    return [*evaluate(ranking, [each.measure for each in measures]).values()]


def _parsed(measure: str | Measure) -> Measure:
    return parse_measure(measure) if isinstance(measure, str) else measure


def _components(measure: Measure, ranking: JudgedRanking, at_random: bool) -> Iterator[tuple[float, ...]]:
    """The components of each query."""
    for query_id, query in ranking.queries.items():
        yield expected_components([measure], query, query_id)[0] if at_random else measure.components(query)
