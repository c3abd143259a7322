"""What the scores of a file can be compared with: the numbers of its queries, and the values of extreme orders."""

from math import ceil
from typing import TypedDict

import numpy as np
import pyarrow.compute as pc

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.measuring import evaluate
from cqa_spark.evaluation.official_files import OfficialFile
from cqa_spark.evaluation.official_rankings import truncated_ranking

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


def population(gold: OfficialFile, measure: str) -> JudgedPopulation:
    """The queries of a gold file, and the values of a random and of the best order.

    Args:
        gold: the judgments.
        measure: display name of a measure of the order, such as ``MAP@10``.

    Raises:
        ConfigError: an unknown measure.
    """
    parsed, given = parse_measure(measure), truncated_ranking(gold, gold)
    sizes, is_drawn = given.sizes, np.zeros(len(given.sizes), np.bool_)
    is_drawn[pc.sort_indices(given.queries).to_numpy()[:: ceil(len(sizes) / MOST_QUERIES)]] = True
    random = evaluate(given.chosen(is_drawn), [parsed], at_random=True)[str(parsed)]
    relevant_first = np.lexsort((~given.candidates["relevant"], np.repeat(np.arange(len(sizes)), sizes)))
    best = evaluate(given._replace(candidates=given.candidates[relevant_first]), [parsed])[str(parsed)]
    return JudgedPopulation(
        queries=len(sizes),
        candidates=len(given.candidates),
        random=random or 0.0,
        best=best or 0.0,
    )


def in_words(of_queries: JudgedPopulation, measure: str) -> str:
    """A sentence about a population with values of this measure, by its display name."""
    return (
        f"{of_queries['queries']:,} queries with {of_queries['candidates']:,} candidates; {measure} of a random order "
        f"{100 * of_queries['random']:.2f}, of the best {100 * of_queries['best']:.2f}"
    )
