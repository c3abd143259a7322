"""What the choice of the served order notices: simulated sites that lose or gain, and the sites of a lake.

    python docs/generators/served_order.py                        # writes the table into docs/preferred-answers.md
    python docs/generators/served_order.py --lake build/sixteen   # also replays the nights that a lake has measured

A simulated site gets a thread with an accepted answer every night, whose 1 to 4 replayed nights the system wins, loses
or ties together. Other sites are those of the shipped model's card, in the band of 1 to 2 days.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow.dataset as ds

from cqa_spark.evaluation.statistics.clusters import paired_difference
from cqa_spark.evaluation.statistics.nights import AGES, in_band
from cqa_spark.evaluation.statistics.served_order import Choice, Difference, choose, weigh
from cqa_spark.lake.schemas.metrics import NIGHTS as NIGHTS_SPLIT
from cqa_spark.systems.shipped_models import shipped_card

PAGE = Path(__file__).resolve().parents[1] / "preferred-answers.md"
MARK = "<!-- docs/generators/served_order.py -->"
SYSTEM, SIMPLE, BAND = "night_answers", "votes_then_length", "1-2 days"
SITES, NIGHTS, SEED = 200, 400, 20261128

CASES = {
    "gains 3 points, as on the sixteen sites": (0.05, 0.02),
    "gains nothing": (0.05, 0.05),
    "loses 5 points": (0.05, 0.10),
    "loses 10 points": (0.05, 0.15),
    "loses 20 points": (0.05, 0.25),
}
"""Shares of the threads that the system wins and loses."""


def others(site: str, band: str, order: str) -> list[Difference]:
    """The other sites of the card."""
    card = shipped_card(SYSTEM)
    assert card is not None, "the model is shipped"
    return [
        Difference(row.difference, row.error, row.threads)
        for row in card.by_site
        if (row.band, row.order) == (band, order) and row.site != site
    ]


def first_switch(gains: np.ndarray, threads: np.ndarray, ends: Sequence[int], prior: list[Difference]) -> int | None:
    """The number of nights after which the simple order is served; ``ends`` are how many nights each night knows."""
    before: Choice | None = None
    for number, end in enumerate(ends, start=1):
        found = paired_difference(gains[:end], threads[:end])
        own = Difference(found.value, found.error, found.clusters)
        before = choose(SYSTEM, {SIMPLE: weigh(own, prior)}, before)
        if before.served != SYSTEM:
            return number
    return None


def simulated(won: float, lost: float) -> list[int | None]:
    """The night of the switch on each simulated site; None if there is none in ``NIGHTS`` nights."""
    draw, prior = np.random.default_rng(SEED), others("", BAND, SIMPLE)
    switches = []
    for _ in range(SITES):
        sizes = draw.integers(1, 5, NIGHTS)
        gain = draw.choice([1.0, -1.0, 0.0], NIGHTS, p=[won, lost, 1 - won - lost])
        thread = np.repeat(np.arange(NIGHTS), sizes)
        switches.append(first_switch(gain[thread], thread, np.cumsum(sizes).tolist(), prior))
    return switches


def table() -> Iterator[str]:
    """The operating characteristic, as a table of Markdown."""
    yield f"| the system | {' | '.join(f'by {threads} threads' for threads in (25, 50, 100, 200, 400))} | median |"
    yield "|---|---|---|---|---|---|---|"
    for case, shares in CASES.items():
        switches = np.array([np.inf if night is None else night for night in simulated(*shares)])
        noticed = [f"{100 * np.mean(switches <= threads):.0f} %" for threads in (25, 50, 100, 200, 400)]
        median = np.median(switches)
        yield f"| {case} | {' | '.join(noticed)} | {f'{median:.0f} threads' if np.isfinite(median) else 'never'} |"


def replayed(lake: str) -> None:
    """Print the site-bands of a lake whose order switches, and how many there are."""
    rows = ds.dataset(f"{lake}/tables/query_metrics", partitioning="hive").to_table().to_pandas()
    rows = rows[rows["split"] == NIGHTS_SPLIT]
    rows = rows.assign(date=rows["query_id"].str.partition("@")[2]).sort_values(["site", "date", "query_id"])
    hits = [{entry["system"]: entry["value"] for entry in measures} for measures in rows["measures"]]
    orders = [order for order in ("votes_then_length", "oldest", "longest_answer_asof") if order in hits[0]]
    judged = switched = 0
    for site in rows["site"].unique():
        for band, ages in AGES.items():
            of_band = ((rows["site"] == site) & in_band(rows["age_days"].to_numpy(), ages)).to_numpy()
            threads = rows["thread_id"][of_band].astype("category").cat.codes.to_numpy()
            dates = rows["date"][of_band].to_numpy()
            is_last = np.append(dates[1:] != dates[:-1], True) if len(dates) else np.zeros(0, np.bool_)
            ends = (np.flatnonzero(is_last) + 1).tolist()
            before: Choice | None = None
            priors = {order: others(site, band, order) for order in orders}
            gains = {
                order: np.array([hit[SYSTEM] - hit[order] for hit, ours in zip(hits, of_band, strict=True) if ours])
                for order in orders
            }
            for end in ends:
                evidence = {}
                for order in orders:
                    found = paired_difference(gains[order][:end], threads[:end])
                    own = Difference(found.value, found.error, found.clusters)
                    evidence[order] = weigh(own, priors[order])
                before = choose(SYSTEM, evidence, before)
                judged, switched = judged + 1, switched + (before.served != SYSTEM)
            if before is not None:
                own, _, both = before.evidence
                points = f"{100 * both.value:+6.1f} [{100 * both.low:+.1f}, {100 * both.high:+.1f}]"
                print(f"{site:40} {band:12} {before.served:20} {points}, own {100 * own.value:+.1f} on {own.threads}")
    print(f"{judged} nights of a site and band, on {switched} of which a simple order was served")


def main() -> None:
    """Write the table, and replay a lake if one is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lake", help="lake of a run of cqa train nights or of nights")
    lake = parser.parse_args().lake
    if lake:
        replayed(lake)
    rows = "\n".join(table())
    print(rows)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(rf"{MARK}\n\n(\|.*\n)*", f"{MARK}\n\n{rows}\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
