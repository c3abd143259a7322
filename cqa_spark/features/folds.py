"""Folds by thread: which examples are held out together; what learns in folds asks here."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

SEED = 17
"""Decides which keys share a fold, by default."""


def fold_of(folds: int, seed: int = SEED) -> Column:
    """The fold of an example, from 0: a hash of its ``fold_key`` (a thread and its repeats), whatever the partitions.

    Args:
        folds: number of folds.
        seed: another seed puts other threads together.
    """
    return F.pmod(F.xxhash64(F.lit(seed), "fold_key"), F.lit(folds))
