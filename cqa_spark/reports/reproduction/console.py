"""Prints reproduced and published results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from cqa_spark.reports.kit.console import print_line, print_table
from cqa_spark.reports.kit.numbers import MISSING, points, signed_points
from cqa_spark.reports.kit.text import readable
from cqa_spark.reports.reproduction.content import NEAR, OK, About, Reproduced, agreement


def print_reproduced(found: Sequence[Reproduced], recipes: Iterable[About], console: Console) -> None:
    """Print the results, the tolerances, what is missing, and the notes of each recipe."""
    print_table(_table(found), console)
    tolerances = f"OK: at most {points(OK)} points apart; near: at most {points(NEAR)}"
    print_line(f"{tolerances}; {MISSING}: not published or not measured", console)
    for each in found:
        if each.missing:
            print_line(f"{each.system}, {each.part}: {each.missing}", console)
    for recipe in recipes:
        print_line(f"\n{recipe.system}", console, style="bold")
        for heading, text in recipe.notes.items():
            if text:
                print_line(f"  {heading}: {text.strip()}", console)


def _table(found: Sequence[Reproduced]) -> Table:
    table = Table(box=None, pad_edge=False, title="Reproduced and published results", title_justify="left")
    for heading in ("system", "task", "data", "measure"):
        table.add_column(heading, no_wrap=True)
    for heading in ("reproduced", "published", "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
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
                agreement(ours, published),
            )
    return table


def _shown(value: float | None) -> str:
    return MISSING if value is None else points(value)
