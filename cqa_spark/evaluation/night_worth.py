"""What orders of answers are worth on replayed nights: P@1 by population, with errors and p-values by thread.

A thread that stayed open for long has many nights, which resemble each other. Means are over nights; errors are those
of a mean of clusters, with the threads as clusters.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from cqa_spark.lake.schemas.night import Worth

Reals = NDArray[np.float64]
Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]

AGES: Mapping[str, tuple[int, float]] = {
    "1-2 days": (0, 3),
    "4-16 days": (3, 32),
    "32-64 days": (32, 128),
    "older": (128, np.inf),
}
"""Bands of the age of a question on a night, in days: from, and below. Nights are at 1, 2, 4, 8, ... days; the bands of
served nights, of any age, meet in the middle."""

VOTES: Mapping[str, tuple[int, float]] = {"0-3 votes": (0, 4), "4-9 votes": (4, 10), "10 votes or more": (10, np.inf)}
"""Bands of the number of votes, up and down, for the answers of a night."""

NIGHTS, SERVED_AGES = "nights", "nights, weighted to the ages of served threads"
LAST_NIGHTS = "last nights before the acceptance"
"""The latest replayed night of a thread. Answers of the day of the acceptance, and threads that had fewer than two
answers before it, are not in it."""

ALL = "all"
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Nights:
    """Measured nights; arrays of shape (nights,).

    Attributes:
        site: of each night.
        thread: a number for the thread of each night.
        age: age of the question in days.
        votes: number of votes for the answers that were known.
        hits: P@1 of each order, by name.
    """

    site: NDArray[np.object_]
    thread: Longs
    age: Longs
    votes: Longs
    hits: Mapping[str, Reals]


def expected_hits(scores: Reals, accepted: Mask, starts: Longs) -> Reals:
    """P@1 of each night: the share of accepted answers among those with the highest score.

    This is the expected value over random orders of ties, so an order that knows nothing is worth its chance.

    Args:
        scores: score of each answer, higher is better; shape (answers,), all of a night adjacent.
        accepted: whether each answer was accepted later; shape (answers,).
        starts: index of the first answer of each night; shape (nights,).
    """
    best = np.repeat(np.maximum.reduceat(scores, starts), np.diff(starts, append=len(scores)))
    is_first = scores == best
    both = np.column_stack([is_first & accepted, is_first]).astype(np.float64)
    hits, ties = np.add.reduceat(both, starts, axis=0).T
    return hits / ties


def night_worth(nights: Nights, orders: Iterable[str], reference: str, served: Mapping[int, int]) -> list[Worth]:
    """The table of worths.

    Args:
        nights: the measured nights.
        orders: names of the orders in the table.
        reference: name of the order that differences are from.
        served: number of threads that are served, by age in days, for the weighted population.

    Returns:
        A row for each order and each band that has nights, in order of band; the weighted population has a row over
        the bands of age in which there are nights; that of the last nights has one night of each thread.
    """
    everywhere = np.ones(len(nights.age), dtype=np.bool_)
    by_age = {name: in_band(nights.age, band) for name, band in AGES.items()}
    by_votes = {name: in_band(nights.votes, band) for name, band in VOTES.items()}
    weights = _served_weights(nights.age, served)
    populations = [
        *(
            (NIGHTS, band, chosen.astype(np.float64))
            for band, chosen in ({ALL: everywhere} | by_age | by_votes).items()
        ),
        (SERVED_AGES, ALL, weights),
        (LAST_NIGHTS, ALL, _is_last(nights).astype(np.float64)),
    ]
    return [
        _worth(name, population, band, nights.hits[name], nights.hits[reference], nights.thread, weight)
        for population, band, weight in populations
        if weight.any()
        for name in orders
    ]


def _is_last(nights: Nights) -> Mask:
    """Whether each night is the latest of its thread."""
    latest = np.full(nights.thread.max(initial=-1) + 1, -1, dtype=np.int64)
    np.maximum.at(latest, nights.thread, nights.age)
    return nights.age == latest[nights.thread]


def in_band(numbers: Longs, band: tuple[int, float]) -> Mask:
    """Whether each number is in a band: from its first, below its second bound."""
    return (numbers >= band[0]) & (numbers < band[1])


def clustered_mean(values: Reals, weights: Reals, cluster: Longs) -> tuple[float, float, int]:
    """A weighted mean, its standard error if whole clusters were sampled, and the number of clusters.

    Args:
        values: shape (nights,).
        weights: from 0; shape (nights,).
        cluster: a number for the cluster of each value; shape (nights,).

    Returns:
        The standard error is infinite for a single cluster.

    Source:
        The linearised error of a ratio (Cochran 1977, Sampling Techniques, section 9A.2), with the correction
        clusters / (clusters - 1).
    """
    total = weights.sum()
    mean = float((values * weights).sum() / total)
    _, numbers = np.unique(cluster[weights > 0], return_inverse=True)
    clusters = int(numbers.max()) + 1
    if clusters == 1:
        return mean, np.inf, 1
    sums = np.bincount(numbers, ((values - mean) * weights)[weights > 0])
    return mean, float(np.sqrt((sums**2).sum() * clusters / (clusters - 1)) / total), clusters


def interval_and_p_value(mean: float, error: float, clusters: int) -> tuple[float, float, float]:
    """The 95 % interval of a mean of clusters, and the two-sided p-value that it is 0, by Student's t.

    Args:
        mean: the mean.
        error: its standard error.
        clusters: number of clusters.
    """
    degrees = max(1, clusters - 1)
    wide = float(stdtrit(degrees, (1 + _CONFIDENCE) / 2)) * error
    # What never differs has no error, and is not different by chance.
    p_value = 1.0 if mean == 0 else float(2 * stdtr(degrees, -abs(mean) / error)) if error else 0.0
    return mean - wide, mean + wide, p_value


def _worth(
    order: str, population: str, band: str, hits: Reals, reference: Reals, thread: Longs, weights: Reals
) -> Worth:
    value, error, threads = clustered_mean(hits, weights, thread)
    difference, apart, _ = clustered_mean(hits - reference, weights, thread)
    low, high, _ = interval_and_p_value(value, error, threads)
    low_difference, high_difference, p_value = interval_and_p_value(difference, apart, threads)
    return Worth(
        order=order, population=population, band=band, measure="P@1", value=value,
        low=max(0.0, low), high=min(1.0, high), difference=difference,
        low_difference=low_difference, high_difference=high_difference, p_value=p_value,
        nights=int((weights > 0).sum()), threads=threads,
    )  # fmt: skip


def _served_weights(ages: Longs, served: Mapping[int, int]) -> Reals:
    """The weight of each night: the share of served threads in its band of age, over the nights in the band."""
    return np.sum(list(_band_weights(ages, served)), axis=0)


def _band_weights(ages: Longs, served: Mapping[int, int]) -> Iterator[Reals]:
    days, threads = np.array([*served], dtype=np.int64), np.array([*served.values()], dtype=np.int64)
    for band in AGES.values():
        inside = in_band(ages, band)
        yield inside * (threads[in_band(days, band)].sum() / max(1, threads.sum())) / max(1, inside.sum())
