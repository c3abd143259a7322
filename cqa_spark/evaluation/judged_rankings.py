"""Rankings with the judgments of their queries.

Files and Python objects become judged rankings (``judging``), without Spark; ``measuring`` evaluates them, and
``compare_rankings`` compares them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.patterns import CANDIDATE, patterns, ranked_query
from cqa_spark.evaluation.ranked_query import RankedQuery


class JudgedRanking(NamedTuple):
    """The judged queries of a data set, as ranked by a file or a system.

    Attributes:
        name: path of the file as given, or name of the ranking.
        queries: ids of the queries; resamples depend on their order.
        candidates: the candidates of all queries in the order of their ranks, those of a query that are not ranked
            last, of type ``CANDIDATE``.
        sizes: number of candidates of each query.
        predicts_labels: whether it predicts which candidates are relevant; a run of TREC does not, nor a gold file,
            whose labels are the judgments.
    """

    name: str
    queries: pa.StringArray
    candidates: NDArray[np.void]
    sizes: NDArray[np.int64]
    predicts_labels: bool = True

    def has(self, measure: Measure) -> bool:
        """Whether the measure has a value."""
        return self.predicts_labels or not measure.uses_labels

    def chosen(self, queries: NDArray[np.bool_]) -> "JudgedRanking":
        """Some of the queries; the mask has shape (queries,)."""
        candidates = self.candidates[np.repeat(queries, self.sizes)]
        chosen = self.queries.filter(pa.array(queries))
        return self._replace(queries=chosen, candidates=candidates, sizes=self.sizes[queries])

    def ranked_queries(self) -> Iterator[RankedQuery]:
        """The queries, one by one."""
        return map(ranked_query, patterns(self.candidates, self.sizes, keep_scores=True))


def in_order(
    name: str,
    queries: pa.StringArray,
    query: NDArray[np.int32],
    order: NDArray[np.int32],
    predicts_labels: bool,
    properties: Mapping[str, NDArray[Any]],
) -> JudgedRanking:
    """A ranking of candidates.

    Args:
        name: its name.
        queries: ids of the queries.
        query: position of each candidate's query among them, shape (candidates,).
        order: the candidates of the ranking, query by query, in the order of their ranks.
        predicts_labels: whether it predicts which candidates are relevant.
        properties: fields of ``CANDIDATE``, shape (candidates,); those that are left out are 0.
    """
    candidates = np.zeros(len(order), CANDIDATE)
    for field, values in properties.items():
        candidates[field] = values[order]
    sizes = np.bincount(query[order], minlength=len(queries))
    return JudgedRanking(name, queries, candidates, sizes, predicts_labels)
