"""trained systems + replayed nights → what orders are worth, and which of them is served."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.special import stdtrit

from cqa_spark.evaluation.night_worth import AGES, NIGHTS, Nights, Reals, clustered_mean, in_band, night_worth
from cqa_spark.evaluation.served_order import AGREEING_NIGHTS, Choice, Difference, Served, choose
from cqa_spark.features.feature_table import tables_of
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.examples import EXAMPLES, IS_MEASURED, IS_REPLAYED, IS_SERVED
from cqa_spark.lake.schemas.night import NIGHT_WORTH, SERVED_ORDERS, TRAINED_WORTH, Worth
from cqa_spark.lake.schemas.rankings import MEASURED_NIGHTS, NIGHT_RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.rankers.rankings import Beside
from cqa_spark.runtime.step import Product, Step
from cqa_spark.steps.changed_sites import of_sites, site_update
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.night_worth import write_trained_worth
from cqa_spark.steps.score import load_trained, rank_by, read_to_rank
from cqa_spark.systems.recipes import groups_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem
from cqa_spark.tasks.preferred_answer.measured_nights import SIMPLE_ORDERS, from_all_nights, measured_nights

Differences = Mapping[str, Mapping[str, tuple[float, float, int]]]
"""By site and band of age: the difference of P@1 between the system and the simple order, its standard error, and the
number of nights."""

_NOTHING = 0.0, np.inf, 0


@dataclass(frozen=True)
class MeasureNights(Step):
    """Rank the replayed nights with every trained system, measure all orders, and choose the order that is served.

    Attributes:
        systems: recipes: the system that nights serve, then the simple orders, which it is compared with.
        last: the published run, whose choice of orders this night goes on from; None before the first publication.
        unchanged: the published run, whose rankings of unchanged sites are kept; None to rank all.
    """

    systems: Sequence[System]
    last: Snapshot | None
    unchanged: Snapshot | None

    name = "nights"

    def reads(self) -> tuple[Product, ...]:
        """Examples, features and models."""
        return read_to_rank(self.systems)

    def reads_if_present(self) -> tuple[Product, ...]:
        """Votes; without them no night is measured."""
        return (VOTES,)

    def writes(self) -> tuple[Product, ...]:
        """The rankings of measured nights, what orders are and were worth, and the orders that are served."""
        return NIGHT_RANKINGS, MEASURED_NIGHTS, NIGHT_WORTH, TRAINED_WORTH, SERVED_ORDERS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Rank, measure and choose."""
        trained = load_trained(run, [system.name for system in self.systems])
        self._rank(run, trained)
        counts.rows_in = run.rows(NIGHT_RANKINGS)
        system, reference = (each.name for each in self.systems[:2])
        threads = run.read(EXAMPLES).where(f"{IS_SERVED} AND initial_rank = 1")
        rows, differences = [], {}
        if run.rows(MEASURED_NIGHTS):
            served = {row["age_days"]: row["count"] for row in threads.groupBy("age_days").count().collect()}
            rows, differences = from_all_nights(
                run.read(MEASURED_NIGHTS),
                [*trained, *SIMPLE_ORDERS],
                counts.rows_in // len(trained),
                partial(_found, system=system, reference=reference, served=served),
            )
        worth = [Worth(**row) for row in rows]
        counts.rows_out = run.write_entries(NIGHT_WORTH, map(asdict, worth))
        write_trained_worth(run, system, reference, worth, self.last)
        sites = sorted(row["site"] for row in threads.select("site").distinct().collect())
        run.write_entries(SERVED_ORDERS, self._choose(run, trained, differences, sites))

    def _rank(self, run: Run, trained: Mapping[str, TrainedSystem]) -> None:
        recipes = [each.system for each in trained.values()]
        inputs = (EXAMPLES, *tables_of(groups_of(recipes)))
        update = site_update(run, self.unchanged, NIGHT_RANKINGS, inputs, settings={}, models=[*trained])
        if not update.keep(MEASURED_NIGHTS):
            answers = of_sites(task_examples(run, recipes[0].task).where(IS_MEASURED), update.sites)
            beside = Beside(MEASURED_NIGHTS, measured_nights)
            ranked = rank_by(
                trained, run, answers, sites=update.sites, where=IS_REPLAYED, table=NIGHT_RANKINGS, beside=beside
            )
            update.write(ranked, MEASURED_NIGHTS)

    def _choose(
        self, run: Run, trained: Mapping[str, TrainedSystem], differences: Differences, sites: Iterable[str]
    ) -> list[Entry]:
        """The order of every site and band of age; a site that has not changed brings no further evidence."""
        system, *simple = (each.name for each in self.systems)
        voting = run.files(VOTES).rows_by_site() if run.has(VOTES) else {}
        last = [] if self.last is None else self.last.entries_or_none(SERVED_ORDERS)
        before = {(entry["site"], entry["band"]): entry for entry in last}
        changed = set(sites) if self.last is None else run.changed_sites([NIGHT_RANKINGS], self.last)
        entries = []
        for site, band in product(sites, AGES):
            if site not in changed and (site, band) in before:
                entries.append(before[site, band])
                continue
            order = simple[0] if voting.get(site) else simple[-1]
            if system in trained and voting.get(site):
                value, error, number = differences.get(site, {}).get(band, _NOTHING)
                evidence = [Difference(value, error), *_of_card(trained[system], order, band)]
                choice = choose(evidence, _choice(before.get((site, band))))
                entries.append(_entry(site, band, system, order, choice, number))
            else:
                entries.append(_entry(site, band, system, order, None, 0))
        return entries


def _found(nights: Nights, system: str, reference: str, served: Mapping[int, int]) -> tuple[list[Entry], Differences]:
    """What all orders are worth, as ``night_worth``, and the differences of a system from the reference."""
    worth = [asdict(row) for row in night_worth(nights, nights.hits, reference, served)]
    if system not in nights.hits:
        return worth, {}
    apart, sites = nights.hits[system] - nights.hits[reference], np.unique(nights.site)
    return worth, {site: dict(_by_band(nights, apart, site)) for site in sites}


def _by_band(nights: Nights, apart: Reals, site: str) -> Iterator[tuple[str, tuple[float, float, int]]]:
    """The mean of differences in each band of age on one site, with its error, and the number of nights."""
    here = nights.site == site
    for band, ages in AGES.items():
        chosen = here & in_band(nights.age, ages)
        if chosen.any():
            value, error, _ = clustered_mean(apart, chosen.astype(np.float64), nights.thread)
            yield band, (value, error, int(chosen.sum()))


def _of_card(trained: TrainedSystem, simple: str, band: str) -> Iterator[Difference]:
    """The difference on the sites that the system was trained on, from its card."""
    for figure in trained.card.figures if trained.card is not None else ():
        about = (figure.order, figure.reference, figure.population, figure.band)
        if about == (trained.system.name, simple, NIGHTS, band):
            wide = stdtrit(figure.threads - 1, 0.975)
            yield Difference(figure.difference, float((figure.high_difference - figure.low_difference) / 2 / wide))


def _choice(entry: Entry | None) -> Choice | None:
    """The choice of an earlier night; None if it had nothing to choose from."""
    if entry is None or entry["verdict"] is None:
        return None
    infinite = entry["low"] is None
    low, high = (-np.inf, np.inf) if infinite else (entry["low"], entry["high"])
    error = np.inf if infinite else (high - low) / 2
    difference = Difference(entry["difference"] or 0.0, error)
    return Choice(Served(entry["served"]), Served(entry["verdict"]), entry["agreeing"], difference, low, high)


def _entry(site: str, band: str, system: str, simple: str, choice: Choice | None, nights: int) -> Entry:
    """A row of ``SERVED_ORDERS``; the simple order is served if there is no choice."""
    served = Served.SIMPLE if choice is None else choice.served
    lowest, end = AGES[band]
    is_known = choice is not None and np.isfinite(choice.difference.error)
    return {
        "site": site,
        "band": band,
        "from_days": int(lowest),
        "below_days": int(end) if np.isfinite(end) else None,
        "order": system if served is Served.SYSTEM else simple,
        "simple_order": simple,
        "served": served.value,
        "verdict": None if choice is None else choice.verdict.value,
        "agreeing": 0 if choice is None else choice.agreeing,
        "difference": choice.difference.value if choice is not None and is_known else None,
        "low": choice.low if choice is not None and is_known else None,
        "high": choice.high if choice is not None and is_known else None,
        "nights": nights,
        "reason": _reason(system, simple, choice, is_known=is_known),
    }


def _reason(system: str, simple: str, choice: Choice | None, *, is_known: bool) -> str:
    if choice is None:
        return f"{system} has no votes with dates to learn from and to be measured on"
    if not is_known:
        return f"no replayed nights tell {system} and {simple} apart"
    points = f"{100 * choice.difference.value:+.1f} points ({100 * choice.low:+.1f} to {100 * choice.high:+.1f})"
    against = f"{system} against {simple}: {points}"
    if choice.served is not choice.verdict:
        return f"{against}, {choice.agreeing} of {AGREEING_NIGHTS} nights for the {choice.verdict.value}"
    return against
