"""The figures of quality in the tables of the pages, from the lakes of the runs that measured them.

``docs/measured_runs.json`` has the figures of each run, which ``generators.provenance`` measures again.

A table of a page has the figures of a run if the comment ``<!-- run NAME -->`` is above it. The name of a system, as
code, begins a row; the heading of a column is a measure, or ``minus`` with the baseline of a comparison.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cqa_spark as cqa
from cqa_spark.lake.schemas.metrics import ALL, NIGHTS, of_population
from cqa_spark.reports.kit.wording import count, p_value, points, signed_points
from cqa_spark.systems.shipped_models import shipped_card

DOCS = Path(__file__).resolve().parents[1]
FILE = DOCS / "measured_runs.json"

SHIPPED = "night_answers"

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
            compared = _difference(row["difference"], row["difference_low"], row["difference_high"], row["p_value"])
            runs[row["split"]]["systems"][row["system"]][f"minus {row['baseline']}"] = compared
    return {run_id if len(runs) == 1 else f"{run_id} {split}": of_split for split, of_split in runs.items()}


def measured_runs() -> dict[str, Any]:
    """The figures of all runs by name, and those on the card of the shipped model by its name."""
    runs: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return runs | shipped_run()


def shipped_run() -> dict[str, Any]:
    """The figures on the card of the shipped model, as those of a run with its name.

    An order has the figures of all nights under its name, and those of ``night_answers`` on a band or another
    population stand under the name of that.
    """
    card = shipped_card(SHIPPED)
    orders: dict[str, dict[str, str]] = {}
    for row in card.figures if card else ():
        part = row.band if row.band != ALL else row.population
        if part == NIGHTS or row.order == SHIPPED:
            figures = orders.setdefault(row.order if part == NIGHTS else part, {})
            figures |= {"nights": count(row.nights), "threads": count(row.threads), "P@1": points(row.value)}
            if row.order != row.reference:
                compared = _difference(row.difference, row.low_difference, row.high_difference, row.p_value)
                figures[f"minus {row.reference}"] = compared
    command = "cqa train nights --input dumps/*.stackexchange.com --model build/night_answers"
    queries = int(orders[SHIPPED]["nights"].replace(",", ""))
    return {SHIPPED: {"command": command, "systems": orders, "queries": queries}}


def _difference(value: float, low: float, high: float, p: float) -> str:
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
