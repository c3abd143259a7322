"""Figures of ``night_answers`` on other pages than its own are those of its card, and those that a night prints."""

import re
from pathlib import Path

from cqa_spark.evaluation.statistics.nights import ALL, NIGHTS
from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.systems.model_card import CardFigure
from cqa_spark.systems.shipped_models import shipped_card

ROOT = Path(__file__).resolve().parents[2]
BY_VOTES = "votes_then_length"

WORTH = re.compile(
    r"On (\d+) replayed nights of (\d+) threads, its first answer is the one accepted later in ([\d.]+) %: "
    r"\+([\d.]+) points against votes_then_length \(95 % interval ([+\N{MINUS SIGN}][\d.]+) to \+([\d.]+),"
)
"""What a night prints of its worth."""


def figure(order: str, reference: str = BY_VOTES) -> CardFigure:
    """The figure of an order over all nights."""
    card = shipped_card("night_answers")
    assert card is not None
    wanted = (order, reference, NIGHTS, ALL)
    (match,) = [row for row in card.figures if (row.order, row.reference, row.population, row.band) == wanted]
    return match


def page_text(name: str) -> str:
    """A page in one line."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def points(value: float) -> str:
    """A difference in points, with its sign."""
    shown = f"{100 * value:+.1f}".replace("-", MINUS)
    return "0.0" if shown in ("+0.0", f"{MINUS}0.0") else shown


def gain(row: CardFigure, words: str = "") -> str:
    return f"{points(row.difference)}{words} ({points(row.low_difference)} to {points(row.high_difference)})"


def test_sentences_about_the_model() -> None:
    ours, limits = figure("night_answers"), page_text("docs/is-it-for-me.md")
    assert f"{100 * ours.difference:.1f} points more often than by votes, then length" in limits


def test_pages_agree_on_the_nights_of_beer() -> None:
    readme, tutorial, nights = map(page_text, ("README.md", "docs/tutorials/first-report.md", "docs/nightly.md"))
    match = WORTH.search(tutorial)
    assert match is not None
    of_nights, of_threads, *figures = match.groups()
    shown, difference, high = (f"{float(number):.1f}" for number in (*figures[:2], figures[3]))
    low = f"{float(figures[2].replace(MINUS, '-')):+.1f}".replace("-", MINUS)
    assert f"({of_nights} nights, {of_threads} threads)" in readme
    assert f"**{shown}** | +{difference} ({low} to +{high})" in readme
    assert (
        f"accepted later in {shown} %, {difference} points more than by votes ({low.removeprefix('+')} to {high})"
        in nights
    )
    assert f"and {figures[0]} %, and no difference on common nights" in nights
