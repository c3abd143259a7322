"""Published figures beside ours, in the way of pyserini's reproductions: OK, near, or differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cqa_spark.reports.wording import MISSING, points, readable, signed_points
from cqa_spark.terminal import Column, Terminal, TextTable, number

OK = 0.005
"""Figures that are at most this far apart (half a point) are the same for all that a reader concludes from them."""

NEAR = 0.02
"""Figures that are at most this far apart could change places on another test set of this size."""


@dataclass(frozen=True)
class Reproduced:
    """One recipe on one part of its data set.

    Attributes:
        system: the recipe's name.
        task: what is ranked for what.
        part: part of the data set, such as ``semeval2016 dev``.
        ours: value by measure, fractions; empty where it could not be measured.
        published: value by measure, fractions; empty where nobody published any.
        source: where the published figures come from.
        missing: what was not there, for people; empty where all was.
    """

    system: str
    task: str
    part: str
    ours: Mapping[str, float] = field(default_factory=dict)
    published: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    missing: str = ""


@dataclass(frozen=True)
class About:
    """What a recipe says of itself, by heading, such as what it replaces."""

    system: str
    notes: Mapping[str, str]


def verdict(ours: float | None, published: float | None) -> str:
    """How far two figures are apart: OK, near, differs; empty where one of them is not known."""
    if ours is None or published is None:
        return ""
    apart = round(abs(ours - published), 6)  # figures are published with four digits
    return "OK" if apart <= OK else "near" if apart <= NEAR else "differs"


def print_reproduced(found: Sequence[Reproduced], recipes: Iterable[About], terminal: Terminal) -> None:
    """Print the table of figures, the tolerances, what was missing, and what each recipe says of itself."""
    terminal.table(_table(found))
    terminal.line(
        f"OK: at most {points(OK)} points apart, near: {points(NEAR)}. {MISSING}: not published or not measured."
    )
    for each in found:
        if each.missing:
            terminal.line(f"{each.system}, {each.part}: {each.missing}")
    for recipe in recipes:
        terminal.line()
        terminal.line(recipe.system, style="bold")
        for heading, text in recipe.notes.items():
            if text:
                terminal.text(f"  {heading}: {text.strip()}")


def _table(found: Sequence[Reproduced]) -> TextTable:
    names = [Column(heading, whole=True) for heading in ("system", "task", "data", "measure")]
    figures = map(number, ("reproduced", "published", "difference"))
    table = TextTable(*names, *figures, Column("verdict", whole=True), title="Reproduced beside published")
    for each in found:
        for measure in dict.fromkeys([*each.ours, *each.published]):
            ours, published = each.ours.get(measure), each.published.get(measure)
            table.add_row(
                each.system,
                readable(each.task),
                each.part,
                measure,
                _shown(ours),
                _shown(published),
                MISSING if ours is None or published is None else signed_points(ours - published),
                verdict(ours, published),
            )
    return table


def _shown(value: float | None) -> str:
    return MISSING if value is None else points(value)
