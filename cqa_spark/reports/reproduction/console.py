"""Prints reproduced and published results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cqa_spark.process.terminal import Column, Terminal, TextTable, number
from cqa_spark.reports.kit.numbers import MISSING, points, signed_points
from cqa_spark.reports.kit.text import readable
from cqa_spark.reports.reproduction.content import NEAR, OK, About, Reproduced, agreement


def print_reproduced(found: Sequence[Reproduced], recipes: Iterable[About], terminal: Terminal) -> None:
    """Print the results, the tolerances, what is missing, and the notes of each recipe."""
    terminal.table(_table(found))
    tolerances = f"OK: at most {points(OK)} points apart; near: at most {points(NEAR)}; only for faithful recipes"
    terminal.line(f"{tolerances}; s.e.: standard error over queries; {MISSING}: not published or not measured")
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
    names = [Column(heading, whole=True) for heading in ("system", "recipe", "task", "data", "measure")]
    results = map(number, ("reproduced", "s.e.", "published", "difference"))
    table = TextTable(*names, *results, Column("verdict", whole=True), title="Reproduced and published results")
    for each in found:
        for measure in dict.fromkeys([*each.ours, *each.published]):
            ours, published = each.ours.get(measure), each.published.get(measure)
            table.add_row(
                each.system,
                each.faithfulness or MISSING,
                readable(each.task),
                each.part,
                measure,
                _shown(ours),
                _shown(each.errors.get(measure)),
                _shown(published),
                MISSING if ours is None or published is None else signed_points(ours - published),
                agreement(ours, published, each.faithfulness),
            )
    return table


def _shown(value: float | None) -> str:
    return MISSING if value is None else points(value)
