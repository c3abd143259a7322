"""Figures of the shipped model in the documentation are those of its card, which ``cqa train nights`` wrote."""

import re

import pytest
from page_tables import ROOT, points, rows

from cqa_spark.evaluation.night_worth import ALL, NIGHTS
from cqa_spark.systems.model_card import CardFigure
from cqa_spark.systems.shipped_models import shipped_card

BY_VOTES = "votes_then_length"

ORDERS = {
    "`night_answers`, each site by what the others teach": "night_answers",
    "… without the standing by votes": "without answer_standing_asof_v1",
    "… without timing": "without answer_timing_asof_v1",
    "… without length and markup": "without answer_markup_asof_v1",
    "… without the author's record": "without author_record_asof_v1",
    "votes then length": BY_VOTES,
    "votes": "votes",
    "longest": "longest_answer_asof",
    "oldest": "oldest",
    "random": "random",
}
"""Orders on the page, by the words of their rows."""


def figure(order: str, band: str = ALL, population: str = NIGHTS, reference: str = BY_VOTES) -> CardFigure:
    """The figure of an order on the card."""
    card = shipped_card("night_answers")
    assert card is not None
    (match,) = [
        row for row in card.figures if (row.order, row.reference, row.population, row.band)
        == (order, reference, population, band)
    ]  # fmt: skip
    return match


WORTH = re.compile(
    r"On (\d+) replayed nights of (\d+) threads, its first answer is the one accepted later in ([\d.]+) %: "
    r"\+([\d.]+) points against votes_then_length \(95 % interval \+([\d.]+) to \+([\d.]+),"
)
"""What a night prints of its worth."""


def page_text(name: str) -> str:
    """A page in one line."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def interval(row: CardFigure) -> str:
    return f"{points(row.low_difference)} to {points(row.high_difference)}"


def p_value(row: CardFigure) -> str:
    return "< .001" if row.p_value < 0.001 else f"{row.p_value:.3f}"[1:]


def test_orders_of_answers() -> None:
    table = {name: cells for name, *cells in rows("docs/preferred-answers.md", "order, on 2,102 nights of 791 threads")}
    of_card = {name: figure(order) for name, order in ORDERS.items()}
    assert table == {
        name: [f"{100 * row.value:.1f}", points(row.difference), interval(row), p_value(row)]
        if row.order != row.reference
        else [f"{100 * row.value:.1f}", "", "", ""]
        for name, row in of_card.items()
    }


@pytest.mark.parametrize(
    "row", rows("docs/preferred-answers.md", "`night_answers` by age, votes"), ids=lambda row: row[0]
)
def test_bands_of_nights(row: list[str]) -> None:
    band, *cells = row
    populations = {
        "weighted to the ages of served threads": "nights, weighted to the ages of served threads",
        "last nights before the acceptance": "last nights before the acceptance",
    }
    of_card = figure("night_answers", *((ALL, populations[band]) if band in populations else (band,)))
    value = f"{100 * of_card.value:.1f}"
    counts = [f"{of_card.nights:,}", f"{of_card.threads:,}"]
    assert cells == [*counts, value, points(of_card.difference), interval(of_card)]


def test_sentences_about_the_model() -> None:
    ours, blind = figure("night_answers"), figure("without votes", reference="longest_answer_asof")
    without = f"{100 * blind.value:.1f}"
    readme, page, limits = map(page_text, ("README.md", "docs/preferred-answers.md", "docs/is-it-for-me.md"))
    simple = [f"{100 * figure(order).value:.1f}" for order in ("random", "oldest", "longest_answer_asof", BY_VOTES)]
    cells = [*simple, f"**{100 * ours.value:.1f}**", f"{points(ours.difference)} ({interval(ours)})"]
    assert f"({ours.nights:,} nights, {ours.threads} threads) | {' | '.join(cells)} |" in readme
    assert (
        f"| {' | '.join(simple[:3])} | | {without} | {points(blind.difference)} over the longest ({interval(blind)}) |"
        in readme
    )
    assert (
        f"the system reaches {without}, which is {100 * blind.difference:.1f} above the longest answer "
        f"({interval(blind)}, p {p_value(blind)})"
    ) in page
    assert f"{100 * ours.difference:.1f} points more often than by votes, then length" in limits


def test_pages_agree_on_the_nights_of_beer() -> None:
    readme, tutorial, nights = map(page_text, ("README.md", "docs/tutorials/first-report.md", "docs/nightly.md"))
    match = WORTH.search(tutorial)
    assert match is not None
    of_nights, of_threads, *figures = match.groups()
    shown, difference, low, high = (f"{float(number):.1f}" for number in figures)
    assert f"({of_nights} nights, {of_threads} threads)" in readme
    assert f"**{shown}** | +{difference} (+{low} to +{high})" in readme
    assert f"accepted later in {shown} %, {difference} points more than by votes ({low} to {high})" in nights
    assert f"and {figures[0]} %, and no difference on common nights" in nights
