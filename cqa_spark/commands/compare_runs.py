"""``cqa runs compare``: what changed from one night to another."""

from __future__ import annotations

import json
from dataclasses import asdict

from cqa_spark.config.runs_settings import CompareRunsSettings
from cqa_spark.errors import InputError
from cqa_spark.evaluation.night_worth import NIGHTS
from cqa_spark.lake.schemas.night import NIGHT_WORTH, Worth
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot, snapshot_of
from cqa_spark.process.terminal import Terminal, TextTable, number
from cqa_spark.reports.kit.numbers import MISSING, points, signed_points
from cqa_spark.reports.kit.tables import print_grid
from cqa_spark.reports.post_texts import TEXTS
from cqa_spark.reports.sections.first_answers import first_answer_changes, table
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.steps.first_answers import changed_first_answers


def compare_runs(settings: CompareRunsSettings) -> None:
    """Print threads with another first answer, and the worth of every order in both runs.

    Raises:
        InputError: a run has no rankings that a night serves.
    """
    lake = read_lake(settings)
    before, after = (snapshot_of(lake, run) for run in settings.runs)
    for snapshot in (before, after):
        if not snapshot.has(RANKINGS):
            raise InputError(f"run {snapshot.record.run_id} ranks nothing", "name nights: cqa runs list")
    entries = changed_first_answers(before.read(RANKINGS), after.read(RANKINGS))
    changes = first_answer_changes(entries, after.present(TEXTS))
    measured, worth = _worth(before, after)
    if settings.format == "json":
        orders = [{"order": order, "before": old, "after": new} for order, old, new in worth]
        print(json.dumps(asdict(changes) | {"worth": orders}, indent=2, ensure_ascii=False))
        return
    terminal = Terminal()
    grid = TextTable("order", *map(number, settings.runs), number("difference"), title=measured)
    for order, old, new in worth:
        difference = MISSING if old is None or new is None else signed_points(new - old)
        grid.add_row(order, *(MISSING if each is None else points(each) for each in (old, new)), difference)
    terminal.table(grid)
    terminal.line()
    print_grid(table(changes), terminal)


def _worth(before: Snapshot, after: Snapshot) -> tuple[str, list[tuple[str, float | None, float | None]]]:
    """What is measured first in the newer run, and its value for every order in both."""
    rows = [[Worth(**entry) for entry in each.entries_or_none(NIGHT_WORTH)] for each in (before, after)]
    first = next((each for of_run in reversed(rows) for each in of_run), None)
    if first is None:
        return "nothing is measured", []
    old, new = ({each.order: each.value for each in of_run if _about(each) == _about(first)} for of_run in rows)
    where = "replayed nights" if first.population == NIGHTS else f"labelled queries of the {first.population} split"
    return f"{first.measure} on {where}", [(name, old.get(name), new.get(name)) for name in {**old, **new}]


def _about(worth: Worth) -> tuple[str, str, str]:
    return worth.measure, worth.population, worth.band
