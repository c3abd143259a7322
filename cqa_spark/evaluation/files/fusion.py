"""Fusion: one run of several, by the ranks or the scores that they give a document."""

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation.files.pairs import NumberedPairs, ranks_within
from cqa_spark.evaluation.files.trec import RunRow

Method = Literal["rrf", "combsum", "combmnz"]

CONSTANT = 60
"""What reciprocal rank fusion adds to a rank, from 1."""


def fuse(runs: Sequence[NumberedPairs], method: Method = "rrf", *, name: str = "fused") -> Iterator[RunRow]:
    """The documents of all runs in one ranking.

    - ``rrf``: the sum of 1 / (60 + rank) over the runs that have the document.
    - ``combsum``: the sum of its scores, scaled to 0 to 1 for each run and query; 1 where all scores are equal.
    - ``combmnz``: that sum, times the number of runs that have the document.

    Args:
        runs: the runs, as ``read_run`` reads them; a run may lack queries.
        method: one of the three.
        name: name of the fused run.

    Yields:
        The rows of each query together, best first, ties by id, descending, as in trec_eval. Queries come in the order
        of the first run, then those that only later runs have.

    Raises:
        ConfigError: the method is another word.

    Sources:
        Cormack, Clarke and Büttcher 2009, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
        Methods (SIGIR); Fox and Shaw 1994, Combination of Multiple Searches (TREC-2); the scale: Lee 1997, Analyses of
        Multiple Evidence Combination (SIGIR).
    """
    if method not in get_args(Method):
        raise ConfigError(f"unknown method {method!r}", f"choose one of: {', '.join(get_args(Method))}")
    ids = list(dict.fromkeys(query for run in runs for query in run.queries.to_pylist()))
    number_of = {query: number for number, query in enumerate(ids)}
    tables = []
    for run in runs:
        query = np.array([number_of[name] for name in run.queries.to_pylist()], np.int64)[run.query]
        table = pa.table({"query": query, "document": run.candidates, "score": run.number}).sort_by(
            [("query", "ascending"), ("score", "descending"), ("document", "descending")]
        )
        values = _values(table["query"].to_numpy(), table["score"].to_numpy(), method)
        tables.append(pa.table({"query": table["query"], "document": table["document"], "value": values}))
    of_document = pa.concat_tables(tables).group_by(["query", "document"])
    fused = of_document.aggregate([("value", "sum"), ("value", "count")])
    scores = fused["value_sum"].to_numpy()
    if method == "combmnz":
        scores = scores * fused["value_count"].to_numpy()
    ranked = pa.table({"query": fused["query"], "document": fused["document"], "score": scores}).sort_by(
        [("query", "ascending"), ("score", "descending"), ("document", "descending")]
    )
    ranks = ranks_within(ranked["query"].to_numpy())
    for query, document, score, rank in zip(*(column.to_pylist() for column in ranked.columns), ranks, strict=True):
        yield RunRow(ids[query], document, int(rank), score, name)


def _values(query: NDArray[np.int64], score: NDArray[np.float64], method: Method) -> NDArray[np.float64]:
    """What a run contributes to the score of each of its documents, which are sorted by query, the best first."""
    ranks = ranks_within(query)
    if method == "rrf":
        return 1 / (CONSTANT + ranks)
    first = np.flatnonzero(ranks == 1)
    sizes = np.diff(np.append(first, len(query)))
    highest, lowest = (np.repeat(score[rows], sizes) for rows in (first, first + sizes - 1))
    spread = highest - lowest
    return np.where(spread > 0, (score - lowest) / np.where(spread > 0, spread, 1), 1.0)
