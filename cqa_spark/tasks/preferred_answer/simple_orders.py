"""Orders of answers on replayed nights that are measured and not served."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.evaluation.night_worth import Nights
from cqa_spark.rankers.candidates import Candidates

_VOTES = "answer_votes_asof_v1"
UP, DOWN, NET = (f"{_VOTES}__{column}" for column in ("up_votes", "down_votes", "score"))

FEATURES = (UP, DOWN, NET)
"""The features that the orders and the bands of votes need."""


def simple_orders(candidates: Candidates) -> dict[str, NDArray[np.float64]]:
    """Scores by name, higher is better; equal scores are ties.

    Args:
        candidates: with the ``FEATURES``.
    """
    (net,) = candidates.of([NET]).T
    return {
        "votes": net,
        "oldest": -candidates.examples.column("initial_rank").to_numpy().astype(np.float64),
        "random": np.zeros(len(candidates)),
    }


def nights_of(candidates: Candidates) -> Nights:
    """The nights of complete queries, which are sorted by query.

    Args:
        candidates: with the ``FEATURES``.
    """
    starts, examples = candidates.starts, candidates.examples
    first = examples.take(pa.array(starts))
    threads = [f"{site}/{thread}" for site, thread in zip(*(first[name].to_pylist() for name in _THREAD), strict=True)]
    votes = candidates.of([UP, DOWN]).sum(axis=1).astype(np.int64)
    return Nights(
        starts=starts,
        accepted=examples["accepted"].to_numpy(zero_copy_only=False).astype(np.bool_),
        thread=np.unique(threads, return_inverse=True)[1].astype(np.int64),
        age=first["age_days"].to_numpy().astype(np.int64),
        votes=np.add.reduceat(votes, starts),
    )


_THREAD = ("site", "thread_id")
