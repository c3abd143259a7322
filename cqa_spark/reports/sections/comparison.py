"""How runs differ from the first one: settings, measures, first answers, rows of tables."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

from cqa_spark.reports.evaluation import Comparison
from cqa_spark.reports.kit.blocks import Banner, Cell, Row, Span, Table, count_cells, difference_cell, forum
from cqa_spark.reports.kit.wording import MISSING, count, listed, points, readable, signed_interval, signed_points
from cqa_spark.reports.section import Head, Reported, Section, itself
from cqa_spark.reports.sections import first_answers
from cqa_spark.reports.sections.first_answers import FirstAnswerChanges
from cqa_spark.reports.sections.table_changes import RunChanges, as_mapping

COMMON_NIGHTS = "replayed nights that all runs measured"
"""A population of measures."""

COLUMNS = 6
"""Largest number of columns listed for a table."""


@dataclass(frozen=True)
class ComparedMeasure:
    """A measure of a system in several runs.

    Attributes:
        population: queries or nights that it is over, such as a split.
        system: name of the system.
        measure: name of the measure.
        values: fractions, by run; None in a run without it.
        tests: paired tests of the other runs against the first; empty where queries cannot be paired.
    """

    population: str
    system: str
    measure: str
    values: tuple[float | None, ...]
    tests: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class ComparedRuns(Reported):
    """Differences of runs from the first one.

    Attributes:
        lake: location of the lake.
        code_version: version of the code that compared the runs.
        runs: ids of the runs, two or more.
        settings: the values of settings that differ, by run; None in a run without the setting.
        measures: of systems that the first run has.
        answers: threads with another first answer, for each run after the first; empty if a run ranks nothing.
        changes: rows of tables that differ, for each run after the first.
    """

    lake: str
    code_version: str
    runs: tuple[str, ...]
    settings: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
    measures: tuple[ComparedMeasure, ...] = ()
    answers: tuple[FirstAnswerChanges, ...] = ()
    changes: tuple[RunChanges, ...] = ()


def _settings(compared: ComparedRuns) -> list[Table]:
    rows = tuple(
        (key, tuple(Cell(MISSING if value is None else value) for value in values)) for key, values in compared.settings
    )
    about = "Settings that differ, by run." if rows else "All settings are equal."
    return [Table("Settings", about, ("setting", *compared.runs), rows, texts=compared.runs)]


def _measures(compared: ComparedRuns) -> list[Table]:
    first, *others = compared.runs
    headings = ("measure", first, *(heading for run in others for heading in (run, "difference")))
    by_population: dict[str, list[ComparedMeasure]] = {}
    for measure in compared.measures:
        by_population.setdefault(measure.population, []).append(measure)
    return [
        Table(
            title=f"Measures: {population}",
            about=_about(population, measures),
            headings=headings,
            rows=tuple((f"{measured.measure} of {measured.system}", _measure_cells(measured)) for measured in measures),
        )
        for population, measures in by_population.items()
    ]


def _about(population: str, measures: Sequence[ComparedMeasure]) -> str:
    if not any(measured.tests for measured in measures):
        return "In percent, over all nights of a run; differences are from the first run."
    test = (
        "paired t-test by thread"
        if population == COMMON_NIGHTS
        else "paired randomization test over the queries that all runs measured, adjusted by Holm"
    )
    return f"In percent; differences are from the first run, with 95 % intervals and p-values: {test}."


def _measure_cells(measure: ComparedMeasure) -> tuple[Cell, ...]:
    first, *others = [Cell(MISSING if value is None else points(value)) for value in measure.values]
    tests: Sequence[Comparison | float | None] = measure.tests or tuple(
        _untested(measure, value) for value in measure.values[1:]
    )
    pairs = zip(others, tests, strict=True)
    return (first, *(cell for value, test in pairs for cell in (value, _difference(test))))


def _untested(measure: ComparedMeasure, value: float | None) -> float | None:
    first = measure.values[0]
    return None if first is None or value is None else value - first


def _difference(test: Comparison | float | None) -> Cell:
    if isinstance(test, float):
        return Cell(signed_points(test))
    cell = difference_cell(test)
    if test is None or test.difference_low is None or test.difference_high is None:
        return cell
    return replace(cell, small=f"{signed_interval(test.difference_low, test.difference_high)}, {cell.small}")


def _answers(compared: ComparedRuns) -> list[Table]:
    first, *others = compared.runs
    pairs = zip(others, compared.answers, strict=False)
    return [first_answers.table(changes, f"Other first answers in {run} than in {first}") for run, changes in pairs]


def _changes(compared: ComparedRuns) -> list[Table]:
    return [_changed_rows(changes) for changes in compared.changes]


def _changed_rows(changed: RunChanges) -> Table:
    """The number of new, gone and changed rows of each site and table."""
    about = "Rows are matched by key. Changed: any column other than the source file differs. In text: the body of a "
    about += "post differs."
    for run, names in ((changed.before, changed.only_before), (changed.after, changed.only_after)):
        if names:
            about += f" Only in {run}: {', '.join(map(readable, names))}."
    rows: list[Row] = []
    for site, tables in groupby(changed.tables, lambda changes: changes.site):
        rows.append(Row(forum(site), style="group"))
        for changes in tables:
            numbers = changes.new, changes.gone, changes.changed
            in_text = "" if changes.changed_in_text is None else count(changes.changed_in_text)
            columns = [f"{column.name} {count(column.rows)}" for column in changes.columns]
            cells = *count_cells(*numbers), Cell(in_text), Cell(listed(columns, COLUMNS), role="prose")
            rows.append(Row(readable(changes.table), cells, "" if any(numbers) else "quiet"))
    headings = ("site and table", "new", "gone", "changed", "in text", "changed columns")
    title = f"From {changed.before} to {changed.after}"
    return Table(title, about, headings, rows, ("changed columns",), style="sites")


def comparison_json(compared: ComparedRuns) -> str:
    """All differences, with measures as fractions."""
    values = {
        "runs": compared.runs,
        "settings": dict(compared.settings),
        "measures": [asdict(measure) for measure in compared.measures],
        "first_answers": [asdict(changes) for changes in compared.answers],
        "changes": [as_mapping(changes) for changes in compared.changes],
    }
    return json.dumps(values, indent=2, ensure_ascii=False)


def banner(compared: ComparedRuns) -> Banner:
    """Numbers of settings and rows that differ."""
    tables = [table for changes in compared.changes for table in changes.tables]
    numbers = {
        "settings that differ": len(compared.settings),
        "new rows": sum(table.new for table in tables),
        "rows gone": sum(table.gone for table in tables),
        "changed rows": sum(table.changed for table in tables),
    }
    first, *others = compared.runs
    return Banner(
        title=f"Comparison of {', '.join(compared.runs)} · {compared.lake}",
        provenance=f"cqa-spark {compared.code_version}",
        eyebrow=(f"{compared.lake} · run ", Span(first, "bold"), f" and {', '.join(others)}"),
        heading="Comparison of runs",
        facts=[(name, count(number)) for name, number in numbers.items()],
    )


HEAD: Head[ComparedRuns, ComparedRuns] = Head(itself, banner)


def _of_tables(
    name: str, title: str, tables: Callable[[ComparedRuns], list[Table]]
) -> Section[ComparedRuns, list[Table]]:
    """A section of tables, which appears if there are any."""
    return Section(name, title, lambda run: tables(run) or None, lambda shown: shown)


SECTIONS: tuple[Section[ComparedRuns, Any], ...] = (
    _of_tables("settings", "Settings", _settings),
    _of_tables("measures", "Measures", _measures),
    _of_tables("first-answers", "Other first answers", _answers),
    _of_tables("changes", "Tables", _changes),
)
