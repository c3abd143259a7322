"""Backtests of orders of answers: P@1 on replayed nights by population, and of several runs on common nights.

A thread that stayed open for long has many nights, which resemble each other. Means are over nights; threads are the
clusters of their intervals and tests (``clusters``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.evaluation.statistics.clusters import (
    CONFIDENCE,
    FEWEST,
    OF_DIFFERENCES,
    ClusterSums,
    Longs,
    Reals,
    cluster_sums,
    clustered_mean,
    paired_difference,
)
from cqa_spark.evaluation.statistics.served_order import Difference
from cqa_spark.evaluation.statistics.tests import holm
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import ALL, NIGHTS, ON_SITE, by_measure

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

SERVED_AGES = "nights, weighted to the ages of served threads"

LAST_NIGHTS = "last nights before the acceptance"
"""The latest replayed night of a thread. Answers of the day of the acceptance, and threads that had fewer than two
answers before it, are not in it."""


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
    highest = np.repeat(np.maximum.reduceat(scores, starts), np.diff(starts, append=len(scores)))
    is_first = scores == highest
    # Accepted answers among the first ones, and the first ones, of each night.
    hits = np.add.reduceat((is_first & accepted).astype(np.float64), starts)
    ties = np.add.reduceat(is_first.astype(np.float64), starts)
    return hits / ties


def night_metrics(
    nights: Nights, task: str, orders: Iterable[str], baseline: str, served: Mapping[int, int]
) -> list[Entry]:
    """P@1 of orders on all nights and on parts of them, with errors and tests by thread.

    Args:
        nights: the measured nights.
        task: the task of the nights.
        orders: names of the measured orders.
        baseline: name of the order that the others are compared with.
        served: number of threads that are served, by age in days, for the weighted population.

    Returns:
        Entries of ``METRICS`` with the further columns of ``COMPARISONS``, which are None for the baseline: of each
        order in each part that has nights; the weighted population is over the bands of age in which there are nights;
        that of the last nights has one night of each thread. P-values are adjusted by Holm: those of the orders on all
        nights together, and those of each order on all else together.
    """
    # Weights of the nights in each part, by population and band, shape (nights,).
    parts: list[tuple[str | None, str | None, Reals]] = [(None, None, np.ones(len(nights.age)))]
    parts += [(None, name, in_band(nights.age, band).astype(np.float64)) for name, band in AGES.items()]
    parts += [(None, name, in_band(nights.votes, band).astype(np.float64)) for name, band in VOTES.items()]
    parts.append((SERVED_AGES, None, _served_weights(nights.age, served)))
    latest = np.full(nights.thread.max(initial=-1) + 1, -1, dtype=np.int64)
    np.maximum.at(latest, nights.thread, nights.age)
    parts.append((LAST_NIGHTS, None, (nights.age == latest[nights.thread]).astype(np.float64)))
    entries: list[Entry] = []
    families: dict[str, list[Entry]] = {}
    for population, band, weights in parts:
        for order in orders if weights.any() else ():
            entry = {
                "task": task,
                "population": population,
                "band": band,
                **_measured(nights, order, baseline, weights),
            }
            entries.append(entry)
            if order != baseline:
                is_overall = population is None and band is None
                families.setdefault(ALL if is_overall else f"parts of {order}", []).append(entry)
    for family in families.values():
        _adjust(family)
    return entries


def site_metrics(nights: Nights, task: str, order: str, baseline: str) -> list[Entry]:
    """P@1 of an order and of the baseline on the nights of each site, of several, with ``FEWEST`` threads or more.

    Args:
        nights: the measured nights.
        task: the task of the nights.
        order: name of the order.
        baseline: name of the order that it is compared with.

    Returns:
        As ``night_metrics``, by site; the population is that of the site. P-values are adjusted by Holm, over sites.
    """
    entries: list[Entry] = []
    sites = np.unique(nights.site).tolist()
    for site in sites if len(sites) > 1 else ():
        weights = (nights.site == site).astype(np.float64)
        if len(np.unique(nights.thread[weights > 0])) >= FEWEST:
            about = {"task": task, "population": f"{ON_SITE}{site}", "band": None}
            entries += [{**about, **_measured(nights, name, baseline, weights)} for name in (order, baseline)]
    _adjust([entry for entry in entries if entry["system"] != baseline])
    return entries


def _adjust(family: Sequence[Entry]) -> None:
    """Adjust p-values by Holm."""
    adjusted = holm(np.array([entry["p_value"] for entry in family])).tolist()
    for entry, p_value in zip(family, adjusted, strict=True):
        entry["p_value"] = p_value


def _measured(nights: Nights, order: str, baseline: str, weights: Reals) -> Entry:
    """The figures of an order on nights with weights."""
    mean = clustered_mean(nights.hits[order], nights.thread, weights)
    return {
        "split": NIGHTS, "system": order, "measure": "P@1", "value": mean.value, "low": max(0.0, mean.low),
        "high": min(1.0, mean.high), "confidence": CONFIDENCE, "queries": int((weights > 0).sum()),
        "topics": mean.clusters, **_compared(nights, order, baseline, weights),
    }  # fmt: skip


def _compared(nights: Nights, order: str, baseline: str, weights: Reals) -> Entry:
    """The columns of a comparison; None for the baseline, which does not differ from itself."""
    columns = ("baseline", "difference", "difference_low", "difference_high", "p_value", "wins", "losses", "ties")
    if order == baseline:
        return dict.fromkeys(columns)
    gains = nights.hits[order] - nights.hits[baseline]
    mean = paired_difference(gains, nights.thread, weights)
    signs = np.sign(gains[weights > 0])
    wins, losses, ties = (int((signs == sign).sum()) for sign in (1, -1, 0))
    values = (baseline, mean.value, mean.low, mean.high, mean.p_value, wins, losses, ties)
    return dict(zip(columns, values, strict=True))


def _served_weights(ages: Longs, served: Mapping[int, int]) -> Reals:
    """The weight of each night: the share of served threads in its band of age, over the nights in the band."""
    days, threads = np.array([*served], dtype=np.int64), np.array([*served.values()], dtype=np.int64)
    weights = np.zeros(len(ages))
    for band in AGES.values():
        inside = in_band(ages, band)
        weights += inside * (threads[in_band(days, band)].sum() / max(1, threads.sum())) / max(1, inside.sum())
    return weights


def in_band(numbers: Longs, band: tuple[int, float]) -> Mask:
    """Whether each number is in a band: from its first, below its second bound."""
    return (numbers >= band[0]) & (numbers < band[1])


def site_differences(
    nights: Nights, system: str, orders: Iterable[str]
) -> Iterator[tuple[str, str, str, Difference, int]]:
    """The difference of P@1 between a system and simple orders, on each site and in each band of age that has nights.

    Args:
        nights: the measured nights.
        system: name of the system.
        orders: names of the simple orders.

    Yields:
        Site, band, simple order, difference, number of nights.
    """
    gains = {order: nights.hits[system] - nights.hits[order] for order in orders}
    for site in np.unique(nights.site):
        for band, ages in AGES.items():
            chosen = (nights.site == site) & in_band(nights.age, ages)
            if chosen.any():
                for order, gain in gains.items():
                    mean = paired_difference(gain[chosen], nights.thread[chosen])
                    yield site, band, order, Difference(mean.value, mean.error, mean.clusters), int(chosen.sum())


def compare_nights(by_run: Mapping[str, DataFrame]) -> list[Entry]:
    """Compare several runs with the first, order by order, on the nights that all of them have measured.

    Args:
        by_run: rows of ``QUERY_METRICS`` by id of the run; other queries than nights are left out.

    Returns:
        As ``compare_hits``; none without common nights.
    """
    key = ["site", "thread_id", "query_id", "order"]
    measured = [
        by_measure(frame.where(F.col("split") == NIGHTS)).select(
            *key[:-1], F.col("system").alias("order"), F.col("value").alias(f"hit{run}")
        )
        for run, frame in enumerate(by_run.values())
    ]
    return compare_hits(reduce(lambda left, right: left.join(right, on=key), measured), [*by_run])


def compare_hits(hits: DataFrame, runs: Sequence[str]) -> list[Entry]:
    """Compare an order in several runs, or as several models rank; Spark adds up, and errors follow from the sums.

    Args:
        hits: a row for each night and order: ``order``, ``site``, ``thread_id``, and P@1 in each run: ``hit0``, ...
        runs: names of the runs.

    Returns:
        As ``summarise_runs``, by order, then by run: ``system`` is the run, ``scope`` the order; without an interval of
        the value. Tests are by thread, against the first run.
    """
    numbers, others = range(len(runs)), range(1, len(runs))
    by_thread = hits.groupBy("order", "site", "thread_id").agg(
        F.count(F.lit(1)).alias("nights"),
        *(F.sum(f"hit{run}").alias(f"hits{run}") for run in numbers),
        *(F.count_if(F.expr(f"hit{run} > hit0")).alias(f"wins{run}") for run in others),
        *(F.count_if(F.expr(f"hit{run} < hit0")).alias(f"losses{run}") for run in others),
    )
    totals = by_thread.groupBy("order").agg(
        F.count(F.lit(1)).alias("threads"),
        *(F.sum(name).alias(name) for name in ("nights", *(f"hits{run}" for run in numbers))),
        *(cluster_sums(f"hits{run} - hits0", "nights").alias(f"gain{run}") for run in others),
        *(F.sum(f"{name}{run}").alias(f"{name}{run}") for run in others for name in ("wins", "losses")),
    )
    entries: list[Entry] = []
    for row in totals.orderBy("order").collect():
        gains = [ClusterSums(*row[f"gain{run}"]).estimate(OF_DIFFERENCES) for run in others]
        p_values = holm(np.array([gain.p_value for gain in gains])).tolist()
        about = {"split": NIGHTS, "scope": row["order"], "measure": "P@1"}
        about |= {"queries": row["nights"], "topics": row["threads"]}
        for run, name in enumerate(runs):
            test: Entry = {"p_value": None}
            if run > 0:
                gain, wins, losses = gains[run - 1], row[f"wins{run}"], row[f"losses{run}"]
                test = {
                    "baseline": runs[0], "difference": gain.value, "difference_low": gain.low,
                    "difference_high": gain.high, "p_value": p_values[run - 1], "wins": wins, "losses": losses,
                    "ties": row["nights"] - wins - losses,
                }  # fmt: skip
            entries.append({**about, "system": name, "value": row[f"hits{run}"] / row["nights"], **test})
    return entries
