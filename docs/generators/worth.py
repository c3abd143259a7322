"""What systems are worth, in README, the page that helps to decide, and the tutorial: between comments, from files.

The files are the card of the shipped model and the figures of measured runs.

PYTHONPATH=docs python -m generators.worth    # writes the sections into the pages
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

from cqa_spark.lake.schemas.metrics import ALL, NIGHTS
from cqa_spark.reports.kit.wording import MINUS
from cqa_spark.systems.model_card import CardFigure
from cqa_spark.systems.shipped_models import shipped_card
from generators.markdown import table, with_sections
from generators.measured_runs import BY_VOTES, FILE, SHIPPED

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs/is-it-for-me.md", ROOT / "docs/tutorials/first-report.md")

LONGEST = "longest_answer_asof"
SERVED = "nights, weighted to the ages of served threads"
NESTED = "nested folds"
GAIN = f"minus {BY_VOTES}"

HEADINGS = ("nights", "random", "oldest", "longest", "votes, then length", f"`{SHIPPED}`", "gain")


def with_worth(page: str) -> str:
    """The page with the tables and sentences of the present figures."""
    runs: Mapping[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    parts = {"worth": worth, "gains": gains, "printed": printed_by_a_night}
    return with_sections(page, "worth", {name: partial(write, runs) for name, write in parts.items()})


def write_pages() -> None:
    """Write the sections of the present figures into all pages that have one."""
    for path in PAGES:
        path.write_text(with_worth(path.read_text(encoding="utf-8")), encoding="utf-8")


def worth(runs: Mapping[str, Any]) -> str:
    """The table of replayed nights, and what limits it."""
    return "\n\n".join([table(HEADINGS, _rows(runs)), _limits(runs)])


def gains(runs: Mapping[str, Any]) -> str:
    """The first limit: how little a system adds to votes, as an item of a list."""
    other = runs["elsewhere_nights"]["systems"]["eight other sites"]
    nights = "[replayed nights](preferred-answers.md#the-shipped-model)"
    text = (
        "- **Gains are small where votes exist.** Over votes, then length, P@1 gains "
        f"{_gain(card_figure(SHIPPED))} points on {nights} of the sixteen sites that the system was developed on, each "
        f"ranked by a model of the others, and {_printed_gain(other[GAIN])} points on eight further sites, which may "
        "be chance. Brackets are 95 % intervals, by thread. Where no time has passed to vote, [no trained "
        "system](xu-2018.md#as-of-the-cut) is significantly better than the longest answer."
    )
    return "\n  ".join(wrap(text, 142, break_on_hyphens=False))


def printed_by_a_night(runs: Mapping[str, Any]) -> str:
    """What the night of beer prints of its worth, as a block of code."""
    figures = runs["nights_beer"]["systems"][SHIPPED]
    difference, low, high, p_value = re.findall(rf"[+{MINUS}]?\d+\.\d+", figures[GAIN])
    text = (
        f"On {figures['nights']} replayed nights of {figures['threads']} threads, its first answer is the one accepted "
        f"later in {figures['P@1']} %: {difference} points against {BY_VOTES} "
        f"(95 % interval [{low}, {high}], p = {p_value})."
    )
    return "\n".join(["```", f"The order served is that of {SHIPPED}.", *wrap(text, 108), "```"])


def card_figure(order: str, reference: str = BY_VOTES, population: str = NIGHTS) -> CardFigure:
    """A figure of the shipped card over all nights of a population."""
    card = shipped_card(SHIPPED)
    assert card is not None, "the package ships this model"
    wanted = (order, reference, population, ALL)
    (row,) = [row for row in card.figures if (row.order, row.reference, row.population, row.band) == wanted]
    return row


def signed(value: float) -> str:
    """A difference in points, with its sign."""
    shown = f"{100 * value:+.1f}".replace("-", MINUS)
    return "0.0" if shown in ("+0.0", f"{MINUS}0.0") else shown


def _rows(runs: Mapping[str, Any]) -> Iterator[list[str]]:
    ours = card_figure(SHIPPED)
    simple = (f"{100 * card_figure(order).value:.1f}" for order in ("random", "oldest", LONGEST, BY_VOTES))
    other, all_sites = (runs["elsewhere_nights"]["systems"][name] for name in ("eight other sites", "all 24 sites"))
    yield [
        f"sixteen public sites, each ranked by a model trained on the other fifteen "
        f"({ours.nights:,} nights, {ours.threads} threads)",
        *simple,
        f"**{100 * ours.value:.1f}**",
        _gain(ours),
    ]
    yield [
        f"eight further sites, ranked by the shipped model, which had not seen them "
        f"({other['nights']} nights, {other['threads']} threads)",
        *(_short(other[order]) for order in ("random", "oldest", "longest", BY_VOTES)),
        f"**{_short(other['P@1'])}**",
        _printed_gain(other[GAIN]),
    ]
    yield [
        f"all 24 sites, each ranked by a model trained on the others ({all_sites['nights']} nights)",
        *("", "", "", _short(all_sites[BY_VOTES])),
        f"**{_short(all_sites['P@1'])}**",
        _printed_gain(all_sites[GAIN]),
    ]


def _limits(runs: Mapping[str, Any]) -> str:
    """Sentences with the figures that make the table smaller."""
    of_sites = [row[GAIN] for row in runs["nights_by_site"]["systems"].values()]
    up, down = (sum(gain.startswith(sign) and float(gain[1:]) > 0 for gain in of_sites) for sign in ("+", MINUS))
    served = card_figure(SHIPPED, population=SERVED)
    nested = _printed_gain(runs["nights_selection"]["systems"][NESTED][GAIN])
    differs = float(runs["elsewhere_nights"]["systems"]["served questions"]["other first answer"])
    p_value = f"{served.p_value:.2f}"
    return (
        "The weight of weak labels, the penalty and the feature groups were selected on the sixteen sites. If the "
        f"other fifteen select the weight and the penalty for each site (nested folds), the gain is {nested}. "
        f"The system gains on {up} of the sixteen sites, ties on {len(of_sites) - up - down} and loses on {down}. "
        f"Weighted to the ages of the questions that are served, the gain is {_gain(served)}, p = {p_value}. "
        "No gain was found in the votes that answers get after the night; figures of that were not kept. "
        f"In {differs:.0f} % of the questions served on the eight sites, the first answer differs from that of votes, "
        "then length."
    )


def _gain(row: CardFigure) -> str:
    return f"{signed(row.difference)} [{signed(row.low_difference)}, {signed(row.high_difference)}]"


def _short(printed: str) -> str:
    """A printed figure with one decimal place."""
    return f"{float(printed):.1f}"


def _printed_gain(printed: str) -> str:
    """A printed difference with its interval and p-value, with one decimal place and without the latter."""
    value, low, high = (float(number.replace(MINUS, "-")) / 100 for number in re.findall(rf"[+{MINUS}][\d.]+", printed))
    return f"{signed(value)} [{signed(low)}, {signed(high)}]"


if __name__ == "__main__":
    write_pages()
