"""What the order that a night serves is worth, beside every simple order, and why it is served."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from cqa_spark.evaluation.statistics.nights import AGES, LAST_NIGHTS, SERVED_AGES
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.metrics import ALL, COMPARISONS, METRICS, NIGHTS, ON_SITE, WHEN_TRAINED, Worth, worth_of
from cqa_spark.lake.schemas.night import SERVED_ORDERS
from cqa_spark.reports.kit.blocks import NO_VALUE, Block, Cell, Columns, Only, Plot, Table, Text
from cqa_spark.reports.kit.svg import Picture, Whisker, described, whiskers
from cqa_spark.reports.kit.wording import counted, interval, p_value, points, signed_interval, signed_points
from cqa_spark.reports.reported_run import ReportedRun
from cqa_spark.reports.section import Section

_POPULATIONS = {NIGHTS: "all nights", SERVED_AGES: "ages of served threads", LAST_NIGHTS: "last nights"}
_SIGNIFICANT = 0.05
_MOST_SITES = 20
"""Sites that are shown, at most: those with the most nights."""

_UNMEASURED = "No replayed night is measured: no acceptance with a date followed a night with rivals."


@dataclass(frozen=True)
class NightWorth:
    """The worth of orders, and the orders that are served.

    Attributes:
        system: the system whose nights are reported.
        simple: name of the simple order that differences are from.
        worth: of all orders, by the main measure; none if nothing was measured.
        orders: the entries of ``SERVED_ORDERS``; none for a task without replayed nights.
        unranked: why no order is served; empty if some are.
    """

    system: str
    simple: str
    worth: Sequence[Worth]
    orders: Sequence[Entry] = ()
    unranked: str = ""

    def row(self, order: str, population: str, band: str) -> Worth | None:
        """The worth of an order; None if the band has no nights."""
        wanted = (order, population, band)
        return next((each for each in self.worth if (each.order, each.population, each.band) == wanted), None)


def data(run: ReportedRun) -> NightWorth | None:
    """All of it; the system is the one that nights serve. None for a run that serves no order."""
    if run.unranked is not None:
        least = "two" if run.unranked.min_answers == 2 else run.unranked.min_answers
        unranked = f"No question has {least} answers yet: there is no order to serve."
        return NightWorth(run.best_system, run.baseline or "", (), unranked=unranked)
    if not any(ranked.served for ranked in run.systems.values()):
        return None
    metrics = [entry for entry in run.journal.get(METRICS.name, ()) if entry.get("population") != WHEN_TRAINED]
    worth = worth_of(metrics, run.journal.get(COMPARISONS.name, ()), run.baseline)
    # Replayed nights are measured by P@1, whatever the main measure is.
    measured = {each.measure for each in worth}
    measure = run.main_measure if run.main_measure in measured else min(measured, default="")
    shown = [each for each in worth if each.measure == measure]
    return NightWorth(run.best_system, run.baseline or "", shown, run.entries(SERVED_ORDERS.name))


def blocks(night: NightWorth) -> list[Block]:
    """The tables that have rows; the head of the page has the sentences."""
    told = Only("terminal", [*map(Text, sentences(night)), Text("")])
    if night.unranked:
        return [told, Only("page", [Text(night.unranked)])]
    tables = (_orders(night), _bands(night), _sites(night), _served(night)) if night.orders else (_labelled(night),)
    return [told, *_pictures(night), *(table for table in tables if table.rows)]


def _pictures(night: NightWorth) -> list[Block]:
    """The worth of all orders, and the gain of the system by age, by votes and by site, where errors are known."""
    of_nights = [each for each in night.worth if each.population == NIGHTS and np.isfinite(each.low_difference)]
    orders = [
        Whisker(each.order, each.value, each.low, each.high, "accent" if each.order == night.system else "muted")
        for each in sorted(of_nights, key=lambda each: -each.value)
        if each.band == ALL
    ]
    gains = [
        Whisker(each.band, each.difference, each.low_difference, each.high_difference, "accent")
        for each in of_nights
        if each.order == night.system != night.simple
    ]
    by_site = [
        Whisker(_site(each), each.difference, each.low_difference, each.high_difference, "accent")
        for each in _worth_by_site(night)
        if night.system != night.simple
    ]
    pictures = (
        ("worth-of-orders", orders, None, "P@1 of all orders on replayed nights, in percent"),
        ("gain-by-band", gains, 0.0, f"Gain of {night.system} over {night.simple}, in points"),
        ("gain-by-site", by_site, 0.0, f"Gain of {night.system} over {night.simple} by site, in points"),
    )
    plots = [
        Plot(name, partial(_picture, rows, reference), caption, small=True)
        for name, rows, reference, caption in pictures
        if rows
    ]
    return [Only("page", [Columns(plots)])] if plots else []


def _picture(rows: Sequence[Whisker], reference: float | None, width: int) -> Picture:
    return Picture(whiskers(rows, reference, width), described(rows))


def sentences(night: NightWorth) -> tuple[str, ...]:
    """What is served, and what it is worth."""
    if night.unranked:
        return (night.unranked,)
    served = Counter(entry["order"] for entry in night.orders)
    usual = night.system if night.system in served else next(iter(served), night.system)
    exceptions = [entry for entry in night.orders if entry["order"] != usual]
    headline = f"The order served is that of {usual}"
    if exceptions:
        named = ", ".join(f"{each['order']} for {each['site']}, {each['band']}" for each in exceptions[:4])
        more = f" and {len(exceptions) - 4} more" if len(exceptions) > 4 else ""
        headline += f", except {named}{more}"
    measured = next((each for each in night.worth if each.order == usual), None)
    if measured is None:
        return f"{headline}.", _UNMEASURED if night.orders else "No labelled query tells what it is worth."
    if night.orders:
        nights = f"{counted(measured.nights, 'replayed night')} of {counted(measured.threads, 'thread')}"
        value = f"On {nights}, its first answer is the one accepted later in {points(measured.value)} %"
    else:
        queries = counted(measured.nights, "labelled query", "labelled queries")
        value = f"On {queries} of the {measured.population} split, its {measured.measure} is {points(measured.value)}"
    if usual == night.simple:
        return f"{headline}.", f"{value}."
    against = f"{signed_points(measured.difference)} points against {night.simple}"
    return f"{headline}.", f"{value}: {against} (95 % interval {_bounds(measured)}, {p_value(measured.p_value)})."


def _bounds(worth: Worth) -> str:
    """The interval of the difference."""
    return signed_interval(worth.low_difference, worth.high_difference)


def _labelled(night: NightWorth) -> Table:
    measure = night.worth[0].measure if night.worth else ""
    return Table(
        title="Worth of orders on labelled queries",
        about=f"{measure} in percent on the queries that the system has not learned from, with 95 % intervals; the "
        f"difference is from {night.simple}.",
        headings=("order", "split", "queries", measure, "difference", "p-value"),
        rows=tuple(
            (each.order, (Cell(each.population), Cell(f"{each.nights:,}"), *_measured_cells(each)))
            for each in sorted(night.worth, key=lambda each: (each.population, -each.value))
        ),
        texts=("split",),
    )


def _orders(night: NightWorth) -> Table:
    names = list(dict.fromkeys(each.order for each in night.worth))
    by_value = sorted(names, key=lambda name: -_value(night, name))
    return Table(
        title="Worth of orders on replayed nights",
        about="P@1 in percent, with 95 % intervals by thread; ties count by their chance. A thread is looked at 1, 2, "
        "4, 8, … days after the question, as long as no acceptance was known. Last nights: the latest of a thread, "
        "without answers of the day of the acceptance.",
        headings=("order", *_POPULATIONS.values()),
        rows=tuple((name, tuple(_cell(night.row(name, each, ALL)) for each in _POPULATIONS)) for name in by_value),
    )


def _value(night: NightWorth, order: str) -> float:
    found = night.row(order, NIGHTS, ALL)
    return found.value if found is not None else 0.0


def _cell(worth: Worth | None) -> Cell:
    if worth is None:
        return NO_VALUE
    return Cell(points(worth.value), interval(worth.low, worth.high) if np.isfinite(worth.low) else "")


def _bands(night: NightWorth) -> Table:
    bands = dict.fromkeys(each.band for each in night.worth if each.population == NIGHTS)
    found = {band: night.row(night.system, NIGHTS, band) for band in bands}
    return Table(
        title=f"{night.system} by age and by votes",
        about="Nights by the age of the question, and by the number of votes for its answers; the difference is from "
        "the simple order. P\u2011values are adjusted for the number of tests (Holm), intervals are not.",
        headings=("nights", "number", "threads", "P@1", "difference", "p-value"),
        rows=tuple((band, _band_cells(worth)) for band, worth in found.items() if worth is not None),
    )


def _sites(night: NightWorth) -> Table:
    return Table(
        title=f"{night.system} by site",
        about=f"Sites with ten threads or more, at most the {_MOST_SITES} with the most nights; the difference is from "
        "the simple order. The table metrics has all.",
        headings=("site", "nights", "threads", "P@1", "difference", "p-value"),
        rows=tuple((_site(worth), _band_cells(worth)) for worth in _worth_by_site(night)),
    )


def _worth_by_site(night: NightWorth) -> list[Worth]:
    by_site = [each for each in night.worth if each.population.startswith(ON_SITE) and each.order == night.system]
    return sorted(by_site, key=lambda each: (-each.nights, each.population))[:_MOST_SITES]


def _site(worth: Worth) -> str:
    return worth.population.removeprefix(ON_SITE)


def _band_cells(worth: Worth) -> tuple[Cell, ...]:
    return Cell(f"{worth.nights:,}"), Cell(f"{worth.threads:,}"), *_measured_cells(worth)


def _measured_cells(worth: Worth) -> tuple[Cell, ...]:
    """The value, its difference from the simple order, and the p-value."""
    is_significant = worth.p_value < _SIGNIFICANT
    role = ("better" if worth.difference > 0 else "worse") if is_significant else "unclear"
    return (_cell(worth), Cell(signed_points(worth.difference), _bounds(worth), role), Cell(p_value(worth.p_value)))


def _served(night: NightWorth) -> Table:
    by_band: Mapping[str, list[Entry]] = {band: [e for e in night.orders if e["band"] == band] for band in AGES}
    rows = [(band, order, entries) for band, found in by_band.items() for order, entries in _by_order(found).items()]
    return Table(
        title="Orders served",
        about="By the age of the question. A simple order is served where the 95 % interval of the system's gain over "
        "it, by the site's own nights and by what other sites let expect, is below 0 on three nights in a row.",
        headings=("age", "order", "sites", "why"),
        rows=tuple(
            (band, (Cell(order), Cell(f"{len(entries):,}"), Cell(_why(entries)))) for band, order, entries in rows
        ),
        texts=("order", "why"),
    )


def _by_order(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    names = dict.fromkeys(entry["order"] for entry in entries)
    return {name: [entry for entry in entries if entry["order"] == name] for name in names}


def _why(entries: Sequence[Entry]) -> str:
    reasons = Counter(entry["reason"] for entry in entries)
    [(reason, number)] = reasons.most_common(1)
    return reason if len(reasons) == 1 else f"{reason} ({number:,} of {len(entries):,} sites; the others differ)"


SECTION = Section(
    "night-worth", "What the night is worth", data, blocks, products=(METRICS,), optional=(COMPARISONS, SERVED_ORDERS)
)
