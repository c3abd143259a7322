"""Assigns examples to cross-validation folds, by thread."""

from pyspark.sql import Column
from pyspark.sql import functions as F

NO_FOLD = -1
"""The fold of examples outside the training data."""

SEED = 17
"""Default seed of the fold assignment."""


def fold_of(folds: int, seed: int = SEED) -> Column:
    """The fold of an example, from 0: a hash of its ``fold_key``, which a thread shares with its copies.

    Args:
        folds: number of folds.
        seed: changes which threads share a fold.
    """
    return F.pmod(F.xxhash64(F.lit(seed), "fold_key"), F.lit(folds))
