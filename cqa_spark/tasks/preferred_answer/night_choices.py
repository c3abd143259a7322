"""What a model learns from nights: the answer that was accepted later, or, weakly, that which got the most votes.

Most questions have no accepted answer. On their nights, the answers with the most net votes at the end of the dump are
the label, with a small weight: such labels are many, and what brings votes also brings acceptances.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cqa_spark.lake.schemas.examples import MEASURED, UNDECIDED
from cqa_spark.tasks.preferred_answer.replayed_nights import CUT_AT, ROLE, starts_of_threads

WEAK_WEIGHT = 0.2
"""Weight of a thread that is labelled by votes, where one with an accepted answer has 1; chosen by cross-validation
over sites."""


def choice_weights(nights: pa.Table) -> NDArray[np.float64]:
    """The weight with which each answer of a night is the choice to learn.

    The weights of a measured night are on the accepted answer; its thread has weight 1 in all, shared by its measured
    nights. Those of an undecided night are shared by the answers with the most net votes, unless all have equally many,
    or none has more up votes than down votes; its thread has ``WEAK_WEIGHT``, shared by all its replayed nights. Served
    nights teach nothing.

    Args:
        nights: as ``replayed_nights`` returns them, with the column ``final_votes``: up minus down votes for the
            answer in the whole dump.

    Returns:
        Shape (rows,), from 0 to 1.
    """
    if nights.num_rows == 0:
        return np.empty(0)
    threads, night = starts_of_threads(nights), starts_of_nights(nights)
    role = nights[ROLE].to_numpy(zero_copy_only=False)
    accepted = nights["accepted"].fill_null(False).to_numpy().astype(np.float64)
    votes = nights["final_votes"].to_numpy().astype(np.float64)
    sizes = np.diff(night, append=len(role))
    best = votes == np.repeat(np.maximum.reduceat(votes, night), sizes)
    ties = np.repeat(np.add.reduceat(best.astype(np.float64), night), sizes)
    tells = best & (votes > 0) & (ties < np.repeat(sizes, sizes))
    measured, undecided = role == MEASURED, role == UNDECIDED
    of_thread = np.searchsorted(threads, night, side="right") - 1

    def number(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The number of such nights of each row's thread, at least 1."""
        found = np.bincount(of_thread, chosen[night], minlength=len(threads))
        return np.repeat(np.repeat(np.maximum(1, found), np.bincount(of_thread)), sizes)

    weak = WEAK_WEIGHT * tells / ties / number(measured | undecided)
    weights: NDArray[np.float64] = np.where(measured, accepted / number(measured), np.where(undecided, weak, 0.0))
    return weights


def starts_of_nights(nights: pa.Table) -> NDArray[np.int64]:
    """The index of the first row of each night, of rows in the order of ``replayed_nights``."""
    columns = [nights[name].to_numpy(zero_copy_only=False) for name in ("site", "query_id", CUT_AT, ROLE)]
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(np.concatenate([[True], changes])[: nights.num_rows])
