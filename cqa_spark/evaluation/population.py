"""What the scores of a file can be compared with: the numbers of its queries, and the values of extreme orders."""

from math import ceil
from pathlib import Path
from typing import TypedDict

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.official_files import judged_queries, read_official
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_query import RankedQuery

MOST_QUERIES = 2_000
"""Number of queries from which the value of a random order is estimated; drawing their orders takes seconds."""


class JudgedPopulation(TypedDict):
    """The queries of a gold file.

    ``random`` is the expected value of a random order, ``best`` that of relevant candidates first, as fractions.
    """

    queries: int
    candidates: int
    random: float
    best: float


def population(gold: Path, measure: str) -> JudgedPopulation:
    """The queries of a gold file, and the values of a random and of the best order.

    Args:
        gold: official file of judgments.
        measure: display name of a measure of the order, such as ``MAP@10``.

    Raises:
        ConfigError: an unknown measure.
        InputError: the file cannot be parsed.
    """
    judgments, parsed = read_official(gold), parse_measure(measure)
    queries = judged_queries(judgments, judgments)
    drawn = sorted(queries)[:: ceil(len(queries) / MOST_QUERIES)]
    expected = [expected_components([parsed], queries[name], name)[0] for name in drawn]
    best = [RankedQuery(sorted(query.ranked, key=lambda each: not each.relevant)) for query in queries.values()]
    return JudgedPopulation(
        queries=len(queries),
        candidates=len(judgments),
        random=parsed.total(expected),
        best=parsed.total(map(parsed.components, best)),
    )


def in_words(of_queries: JudgedPopulation, measure: str) -> str:
    """A sentence about a population with values of this measure, by its display name."""
    return (
        f"{of_queries['queries']:,} queries with {of_queries['candidates']:,} candidates; {measure} of a random order "
        f"{100 * of_queries['random']:.2f}, of the best {100 * of_queries['best']:.2f}"
    )
