"""Folds by thread: which examples are held out together; what learns in folds asks here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pyspark import inheritable_thread_target
from pyspark.sql import Column
from pyspark.sql import functions as F

SEED = 17
"""Decides which keys share a fold, where nobody asks for another choice."""

FITS_AT_A_TIME = 2
"""Each holds its training rows in memory."""

Part = TypeVar("Part")
Learned = TypeVar("Learned")


def fold_of(folds: int, seed: int = SEED) -> Column:
    """The fold of an example, from 0: a hash of its ``fold_key`` (a thread and its repeats), whatever the partitions.

    Args:
        folds: number of folds.
        seed: another seed puts other threads together.
    """
    return F.pmod(F.xxhash64(F.lit(seed), "fold_key"), F.lit(folds))


def fit_each(fit: Callable[[Part], Learned], parts: Iterable[Part]) -> list[Learned]:
    """Fit on each part, several at a time: models that train on one partition leave the other cores idle."""
    with ThreadPoolExecutor(FITS_AT_A_TIME) as threads:
        return list(threads.map(inheritable_thread_target(fit), parts))
