"""The figures of quality in the tables of the pages, from the lakes of the runs that measured them.

``docs/measured_runs.json`` has the figures of each run, which ``generators.provenance`` measures again.

A table of a page has the figures of a run if the comment ``<!-- run NAME -->`` is above it. The name of a system, as
code, begins a row; the heading of a column is a measure, or ``minus`` with the baseline of a comparison.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cqa_spark as cqa
from cqa_spark.lake.schemas.metrics import ALL, NIGHTS, of_population, worth_of
from cqa_spark.reports.kit.wording import count, p_value, points, signed_points
from cqa_spark.systems.model_card import CardFigure
from cqa_spark.systems.shipped_models import shipped_card

DOCS = Path(__file__).resolve().parents[1]
FILE = DOCS / "measured_runs.json"

SHIPPED, BY_VOTES = "night_answers", "votes_then_length"

TABLE = re.compile(r"<!-- run (?P<run>.+) -->\n\n(?P<rows>(?:\|.*\n)+)")
"""A table of figures, below the name of its run."""


def measured(lake: str, run_id: str, command: str, measures: list[str]) -> dict[str, Any]:
    """The figures of a run by split, as the pages print them, in percent.

    Args:
        lake: the lake of the run.
        run_id: its id.
        command: the command that made it.
        measures: the measures, first the one that gets intervals and comparisons.
    """
    run = cqa.open_lake(lake).run(run_id)
    runs: dict[str, Any] = {}
    for row in of_population(run.metrics().to_arrow().to_pylist(), None):
        if row["measure"] in measures:
            of_split = runs.setdefault(row["split"], {"command": command, "systems": {}})
            figure = points(row["value"])
            if row["measure"] == measures[0]:
                of_split["queries"] = row["queries"]
                figure += f" [{points(row['low'])}, {points(row['high'])}]"
            of_split["systems"].setdefault(row["system"], {})[row["measure"]] = figure
    for row in of_population(run.comparisons().to_arrow().to_pylist(), None):
        if row["measure"] == measures[0]:
            compared = difference(row["difference"], row["difference_low"], row["difference_high"], row["p_value"])
            runs[row["split"]]["systems"][row["system"]][f"minus {row['baseline']}"] = compared
    return {run_id if len(runs) == 1 else f"{run_id} {split}": of_split for split, of_split in runs.items()}


def measured_runs() -> dict[str, Any]:
    """The figures of all runs by name, and those on the card of the shipped model by its name."""
    runs: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return runs | shipped_run()


def shipped_run() -> dict[str, Any]:
    """The figures on the card of the shipped model, as those of a run with its name."""
    card = shipped_card(SHIPPED)
    orders = figures_of_worth(card.figures if card else (), SHIPPED)
    command = "cqa train nights --input dumps/*.stackexchange.com --model build/night_answers"
    queries = int(orders[SHIPPED]["nights"].replace(",", ""))
    return {SHIPPED: {"command": command, "systems": orders, "queries": queries}}


def night_run(lake: str, run_id: str, command: str) -> dict[str, Any]:
    """The figures of what a night is worth, as those of a run with its id."""
    run = cqa.open_lake(lake).run(run_id)
    metrics, comparisons = (table.to_arrow().to_pylist() for table in (run.metrics(), run.comparisons()))
    rows = worth_of([row for row in metrics if row["split"] == NIGHTS], comparisons, BY_VOTES)
    orders = figures_of_worth([CardFigure(**asdict(row), reference=BY_VOTES) for row in rows], SHIPPED)
    overall = {row.order for row in rows}
    systems = {order: figures for order, figures in orders.items() if order in overall}
    return {run_id: {"command": command, "systems": systems, "queries": int(systems[SHIPPED]["nights"])}}


def figures_of_worth(rows: Iterable[CardFigure], system: str) -> dict[str, dict[str, str]]:
    """The figures of orders on replayed nights, as pages print them.

    Args:
        rows: the worth of orders.
        system: the order whose figures on a band or another population are given, under the name of that; of the other
            orders, only those of all nights are, under their names.
    """
    orders: dict[str, dict[str, str]] = {}
    for row in rows:
        part = row.band if row.band != ALL else row.population
        if part == NIGHTS or row.order == system:
            figures = orders.setdefault(row.order if part == NIGHTS else part, {})
            figures |= {"nights": count(row.nights), "threads": count(row.threads), "P@1": points(row.value)}
            if row.order != row.reference:
                compared = difference(row.difference, row.low_difference, row.high_difference, row.p_value)
                figures[f"minus {row.reference}"] = compared
    return orders


def difference(value: float, low: float, high: float, p: float) -> str:
    """A difference with its interval and p-value, as pages print it."""
    return f"{signed_points(value)} [{signed_points(low)}, {signed_points(high)}], {p_value(p)}"


def filled(page: str, runs: Mapping[str, Any]) -> str:
    """A page, with the figures of runs in its tables.

    Raises:
        KeyError: a run, a system of a row or the heading of a column is not in the file.
    """

    def with_figures(table: re.Match[str]) -> str:
        systems = runs[table["run"]]["systems"]
        heading, line, *rows = table["rows"].splitlines()
        _, *columns = (name.strip().replace("`", "") for name in heading.strip("|").split("|"))
        if unknown := {*columns}.difference(*systems.values()):
            raise KeyError(*unknown)
        shown = [heading, line]
        for row in rows:
            first = row.split("|")[1].strip()
            figures = systems[first.split("`")[1]]
            cells = [first, *(figures.get(column, "") for column in columns)]
            shown.append(f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|")
        return f"<!-- run {table['run']} -->\n\n" + "".join(f"{each}\n" for each in shown)

    return TABLE.sub(with_figures, page)


def write_runs(runs: Mapping[str, Any]) -> None:
    """Write figures of runs into the file and the pages.

    Raises:
        KeyError: a page has a table that does not fit its run; nothing is written.
    """
    merged = json.loads(FILE.read_text(encoding="utf-8")) | runs
    texts = {FILE: json.dumps(merged, indent=1, sort_keys=True, ensure_ascii=False) + "\n"}
    shown = merged | shipped_run()
    texts |= {path: filled(path.read_text(encoding="utf-8"), shown) for path in DOCS.glob("*.md")}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
