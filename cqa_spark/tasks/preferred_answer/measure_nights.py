"""trained systems + replayed nights → a backtest of every order, and the order that is served by site and age."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from pyspark.sql import functions as F

from cqa_spark.evaluation.statistics.clusters import FEWEST, in_points
from cqa_spark.evaluation.statistics.nights import AGES, Nights, night_metrics, site_differences, site_metrics
from cqa_spark.evaluation.statistics.served_order import (
    AGREEING_NIGHTS,
    UNKNOWN,
    Choice,
    Difference,
    Evidence,
    choose,
    weigh,
)
from cqa_spark.evaluation.statistics.summary import Summary
from cqa_spark.features.feature_table import tables_of
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.examples import EXAMPLES, IS_MEASURED, IS_REPLAYED, IS_SERVED
from cqa_spark.lake.schemas.metrics import COMPARISONS, METRICS, NIGHTS, QUERY_METRICS
from cqa_spark.lake.schemas.night import SERVED_ORDERS
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.rankers.rankings import SideOutput
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.steps.changed_sites import of_sites, site_update
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.score import load_trained, rank_by, read_to_rank
from cqa_spark.systems.recipes import groups_of
from cqa_spark.systems.system import System
from cqa_spark.systems.trained_system import TrainedSystem
from cqa_spark.tasks.preferred_answer.backtest import SIMPLE_ORDERS, from_all_nights, measured_nights

Differences = Mapping[tuple[str, str, str], tuple[Difference, int]]
"""By site, band of age and simple order: the difference of P@1 between the system and this order, and the number of
nights."""


@dataclass(frozen=True)
class MeasureNights(Step):
    """Rank the replayed nights with every trained system, backtest all orders, and choose the order that is served.

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
        """The rankings and measures of nights, metrics and comparisons, and the orders that are served."""
        return NIGHT_RANKINGS, QUERY_METRICS, METRICS, COMPARISONS, SERVED_ORDERS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Rank, measure and choose."""
        trained = load_trained(run, [system.name for system in self.systems])
        self._rank(run, trained)
        counts.rows_in = run.rows(NIGHT_RANKINGS)
        system, reference, task = self.systems[0].name, self.systems[1].name, self.systems[0].task
        simple = [recipe.name for recipe in self.systems[1:] if recipe.name in trained]
        threads = run.read(EXAMPLES).where(f"{IS_SERVED} AND initial_rank = 1")
        measured = Summary([], [])
        differences: Differences = {}
        if run.rows(QUERY_METRICS):
            served = {row["age_days"]: row["count"] for row in threads.groupBy("age_days").count().collect()}

            def backtest(nights: Nights) -> tuple[list[Entry], list[tuple[str, str, str, Difference, int]]]:
                entries = night_metrics(nights, task, nights.hits, reference, served)
                if system not in nights.hits:
                    return entries, []
                entries += site_metrics(nights, task, system, reference)
                return entries, [*site_differences(nights, system, simple)]

            orders, answers = [*trained, *SIMPLE_ORDERS], counts.rows_in // len(trained)
            entries, by_site = from_all_nights(run.read(QUERY_METRICS), orders, answers, backtest)
            measured = Summary(entries, [])
            differences = {
                (site, band, order): (Difference(*gain), nights) for site, band, order, gain, nights in by_site
            }
        counts.rows_out = run.write_entries(METRICS, measured.metrics)
        run.write_entries(COMPARISONS, measured.comparisons)
        sites = sorted(row["site"] for row in threads.select("site").distinct().collect())
        run.write_entries(SERVED_ORDERS, self._choose(run, trained, differences, sites))

    def _rank(self, run: Run, trained: Mapping[str, TrainedSystem]) -> None:
        recipes = [system.system for system in trained.values()]
        inputs = (EXAMPLES, *tables_of(groups_of(recipes)))
        update = site_update(run, self.unchanged, NIGHT_RANKINGS, inputs, settings={}, models=[*trained])
        if not update.keep(QUERY_METRICS):
            answers = of_sites(task_examples(run, recipes[0].task).where(IS_MEASURED), update.sites)
            side_output = SideOutput(QUERY_METRICS, measured_nights)
            ranked = rank_by(
                trained,
                run,
                answers,
                sites=update.sites,
                where=IS_REPLAYED,
                table=NIGHT_RANKINGS,
                side_output=side_output,
            )
            update.write(ranked.withColumn("split", F.lit(NIGHTS)), QUERY_METRICS)

    def _choose(
        self, run: Run, trained: Mapping[str, TrainedSystem], differences: Differences, sites: Iterable[str]
    ) -> list[Entry]:
        """The order of every site and band of age; a site that has not changed brings no further evidence."""
        system, *orders = (recipe.name for recipe in self.systems)
        simple = [order for order in orders if order in trained]
        card = trained[system].card if system in trained else None
        # Without dated votes, the system has nothing to learn from, and nothing to be measured on.
        voting = run.files(VOTES).rows_by_site() if run.has(VOTES) else {}
        last = [] if self.last is None else self.last.entries_or_none(SERVED_ORDERS)
        before = {(entry["site"], entry["band"]): entry for entry in last}
        changed = set(sites) if self.last is None else run.changed_sites([NIGHT_RANKINGS], self.last)
        entries = []
        for site, band in product(sites, AGES):
            if site not in changed and (site, band) in before:
                entries.append(before[site, band])
            elif system in trained and simple and voting.get(site):
                evidence = {}
                for order in simple:
                    own, _ = differences.get((site, band, order), (UNKNOWN, 0))
                    others = [
                        Difference(row.difference, row.error, row.threads)
                        for row in (card.by_site if card is not None else ())
                        if (row.band, row.order) == (band, order) and row.site != site
                    ]
                    evidence[order] = weigh(own, others)
                choice = choose(system, evidence, _choice(before.get((site, band))))
                _, nights = differences.get((site, band, simple[0]), (UNKNOWN, 0))
                entries.append(_entry(site, band, system, choice.served, choice, nights))
            else:
                order = orders[0] if voting.get(site) else orders[-1]
                entries.append(_entry(site, band, system, order, None, 0))
        return entries


def _choice(entry: Entry | None) -> Choice | None:
    """The choice of an earlier night; None if it had nothing to choose from."""
    if entry is None or entry["verdict"] is None:
        return None
    nothing = Evidence(UNKNOWN, UNKNOWN, UNKNOWN)
    return Choice(entry["order"], entry["verdict"], entry["agreeing"], entry["simple_order"], nothing)


def _entry(site: str, band: str, system: str, order: str, choice: Choice | None, nights: int) -> Entry:
    """A row of ``SERVED_ORDERS``; a simple order is served if there is no choice."""
    lowest, end = AGES[band]
    evidence = choice.evidence if choice is not None else Evidence(UNKNOWN, UNKNOWN, UNKNOWN)
    return {
        "site": site,
        "band": band,
        "from_days": int(lowest),
        "below_days": int(end) if np.isfinite(end) else None,
        "order": order,
        "simple_order": order if choice is None else choice.rival,
        "verdict": None if choice is None else choice.verdict,
        "agreeing": 0 if choice is None else choice.agreeing,
        **_bounds("", evidence.both),
        **_bounds("own_", evidence.own),
        **_bounds("others_", evidence.others),
        "nights": nights,
        "threads": evidence.own.threads,
        "reason": _reason(system, choice),
    }


def _bounds(prefix: str, difference: Difference) -> Entry:
    is_known = np.isfinite(difference.error)
    values = {"difference": difference.value, "low": difference.low, "high": difference.high}
    return {f"{prefix}{name}": value if is_known else None for name, value in values.items()}


def _reason(system: str, choice: Choice | None) -> str:
    if choice is None:
        return f"{system} has no votes with dates to learn from and to be measured on"
    own, others, both = choice.evidence
    by_site = (
        f"{_in_points(own)} on {own.threads:,} threads of the site"
        if np.isfinite(own.error)
        else f"too few threads of the site ({own.threads} of {FEWEST})"
    )
    by_others = f"other sites let expect {_in_points(others)}" if np.isfinite(others.error) else "no other sites"
    if not np.isfinite(both.error):
        return f"{system} against {choice.rival}: {by_site}, {by_others}"
    reason = f"{system} against {choice.rival}: {_in_points(both)}; {by_site}, {by_others}"
    if choice.served != choice.verdict:
        return f"{reason}; {choice.agreeing} of {AGREEING_NIGHTS} nights for {choice.verdict}"
    return reason


def _in_points(difference: Difference) -> str:
    return in_points(difference.value, difference.low, difference.high)
