"""Chooses the score at which rankings are truncated; empty rankings are correct for queries without duplicates."""

import sys

import numpy as np
from numpy.typing import NDArray

MISSED = "missed"
"""The column of training examples with the number of the query's relevant candidates that retrieval missed."""


def best_truncation(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    queries: NDArray[np.int64],
    missed: NDArray[np.float64] | None = None,
) -> float:
    """The threshold with the highest TMAP; the highest of ties.

    The value of a ranking changes only at the scores of its candidates. TMAP at each threshold is therefore the
    cumulative sum of the changes of all rankings, from the highest score down.

    Args:
        scores: out-of-fold scores of examples; shape (examples,).
        relevant: whether each example is relevant; shape (examples,).
        queries: query of each example; shape (examples,).
        missed: number of relevant candidates of the example's query that are no examples, because retrieval missed
            them: they count in the measure; shape (examples,); None if there are none.

    Returns:
        A score, or a number above all scores if empty rankings are best.

    Source:
        Nakov et al. 2017, SemEval-2017 Task 3, section 3.2.2.
    """
    best_first = np.lexsort((-scores, queries))
    score, hit, query = scores[best_first], relevant[best_first].astype(np.float64), queries[best_first]
    is_first = np.diff(query, prepend=~query[:1]) != 0
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=len(query))
    rank = np.arange(len(query)) - np.repeat(starts, sizes) + 1
    hits = _running_sums(hit, starts, sizes)
    precision = _running_sums(hit * hits / rank, starts, sizes)
    all_hits = np.repeat(np.add.reduceat(hit, starts), sizes) + (0.0 if missed is None else missed[best_first])
    gain = np.where(all_hits == 0, 1.0, hits / np.maximum(all_hits, 1))
    value = (precision + gain * (hits + gain) / (rank + 1)) / (all_hits + 1)
    before = np.where(is_first, all_hits == 0, np.roll(value, 1))
    highest_first = np.argsort(-score, kind="stable")
    ordered = score[highest_first]
    cuts = np.flatnonzero(np.diff(ordered, append=-np.inf))  # never between equal scores
    gained = np.cumsum((value - before)[highest_first])[cuts]
    best = int(np.argmax(gained))
    return float(ordered[cuts[best]]) if gained[best] > 0 else sys.float_info.max


def _running_sums(
    numbers: NDArray[np.float64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Cumulative sums within each query."""
    sums = np.cumsum(numbers)
    found: NDArray[np.float64] = sums - np.repeat(sums[starts] - numbers[starts], sizes)
    return found
