"""What one looks at before a run is measured: whether it covers the judgments, and what could mislead its measures."""

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cqa_spark.evaluation.files.pairs import NumberedPairs, match, ranks_within

FIRST = 10
"""Ranks that are looked at for documents without judgment."""


@dataclass(frozen=True)
class RunCheck:
    """How a run fits judgments.

    Attributes:
        judged: number of queries with judgments.
        ranked: number of queries of the run.
        unranked: judged queries that the run lacks; they count 0.
        unjudged: queries of the run without judgments; they are ignored.
        near: an id of ``unjudged`` and the id of ``unranked`` that it nearly equals: in other letter case, with other
            leading zeros, or with other signs between letters and digits.
        unjudged_first: share of documents without judgment among the first ten, over all queries in both; ``bpref`` and
            ``Judged@10`` are made for such runs.
        tied: queries in both with documents of equal scores and different grades, whose order is by their ids.
        disordered: queries whose lines are not in order of the scores; ranks in a file do not count.
    """

    judged: int
    ranked: int
    unranked: tuple[str, ...]
    unjudged: tuple[str, ...]
    near: tuple[tuple[str, str], ...]
    unjudged_first: float
    tied: tuple[str, ...]
    disordered: tuple[str, ...]

    @property
    def measurable(self) -> bool:
        """Whether any query has judgments and a ranking."""
        return self.judged > len(self.unranked)


def check_run(grades: NumberedPairs, scores: NumberedPairs) -> RunCheck:
    """Compare a run with judgments.

    Args:
        grades: graded relevance of each judged document, as ``read_qrels`` reads it.
        scores: score of each ranked document, as ``read_run`` reads it.
    """
    unranked = grades.queries.filter(pc.invert(pc.is_in(grades.queries, scores.queries))).to_pylist()
    unjudged = scores.queries.filter(pc.invert(pc.is_in(scores.queries, grades.queries))).to_pylist()
    by_core = defaultdict(list)
    for name in unranked:
        by_core[_core(name)].append(name)
    near = tuple((name, by_core[_core(name)][0]) for name in unjudged if _core(name) in by_core)

    matches = match(grades, scores)
    grade = np.append(grades.number, np.nan)[matches.judged]  # of each ranked document; NaN without judgment
    query = scores.query
    lines = np.flatnonzero(query[1:] == query[:-1])
    disordered = np.unique(query[lines][scores.number[lines] < scores.number[lines + 1]])

    order = np.lexsort((-scores.number, query))
    shown = order[(ranks_within(query[order]) <= FIRST) & (matches.query[order] >= 0)]
    above, below = order[:-1], order[1:]
    relevance = np.nan_to_num(np.maximum(grade, 0))
    is_tied = (query[above] == query[below]) & (scores.number[above] == scores.number[below])
    is_tied &= (relevance[above] != relevance[below]) & (matches.query[above] >= 0)
    return RunCheck(
        judged=len(grades.queries),
        ranked=len(scores.queries),
        unranked=tuple(unranked),
        unjudged=tuple(unjudged),
        near=near,
        unjudged_first=float(np.isnan(grade[shown]).mean()) if len(shown) else 0.0,
        tied=tuple(scores.queries.take(pa.array(np.unique(query[above][is_tied]))).to_pylist()),
        disordered=tuple(scores.queries.take(pa.array(disordered)).to_pylist()),
    )


def _core(name: str) -> str:
    """The letters and digits of an id, in one case and without the leading zeros of numbers."""
    return re.sub(r"[\W_]+|(?<!\d)0+(?=\d)", "", name.casefold())
