"""The queries of an evaluation: a page that can be searched and sorted, and a CSV file of all of them."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from cqa_spark.process.terminal import visible_line
from cqa_spark.reports.kit.blocks import Banner, Span
from cqa_spark.reports.kit.page import fragment
from cqa_spark.reports.kit.wording import count, readable
from cqa_spark.reports.reported_run import MeasuredQuery
from cqa_spark.reports.section import Head, Reported, Section, itself

HEADINGS = (*(field.name for field in fields(MeasuredQuery)), "difference")
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True)
class QueryTable(Reported):
    """The queries of the page.

    Attributes:
        run_id: the run.
        split: split of the evaluation.
        measure: main measure.
        best_system: system of ``value``.
        baseline: system of ``baseline``; None if there is none.
        csv: name of the CSV file beside the page.
        queries: number of queries in the CSV file.
        shown: the queries of the page, the lowest values first.
    """

    run_id: str
    split: str
    measure: str
    best_system: str
    baseline: str | None
    csv: str
    queries: int
    shown: tuple[MeasuredQuery, ...]


def write_csv(path: Path, queries: Iterable[MeasuredQuery], *, keep: int) -> tuple[int, tuple[MeasuredQuery, ...]]:
    """Write the queries; values are fractions in full precision, and empty where they are not known.

    Args:
        path: the file.
        queries: the queries.
        keep: number of queries to return.

    Returns:
        The number of queries, and the first of them.
    """
    first: list[MeasuredQuery] = []
    number = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADINGS)
        for query in queries:
            writer.writerow(list(_cells(query)))
            number += 1
            if number <= keep:
                first.append(query)
    return number, tuple(first)


def _cells(query: MeasuredQuery) -> Iterator[object]:
    """The cells of a row; a text that a spreadsheet would take for a formula begins with an apostrophe."""
    for value in (*astuple(query), query.difference):
        if not isinstance(value, str):
            yield "" if value is None else value
        else:
            text = visible_line(value)
            yield f"'{text}" if text.startswith(_FORMULA) else text


def banner(table: QueryTable) -> Banner:
    """What the table shows, and where all queries are."""
    compared = f" and {table.baseline}" if table.baseline else ""
    legend = f"{table.measure} of {table.best_system}{compared} on each query, in percentage points. "
    if len(table.shown) < table.queries:
        legend += (
            f"The {count(len(table.shown))} queries with the lowest values of {count(table.queries)}; all are in the "
            "CSV file. "
        )
    return Banner(
        title=f"Queries · {table.best_system} · {table.run_id}",
        provenance="cqa-spark",
        eyebrow=(f"{readable(table.task)} · {table.split} · run ", Span(table.run_id, "bold")),
        heading="All queries",
        legend=(legend, Span("CSV", "link", address=table.csv)),
    )


HEAD: Head[QueryTable, QueryTable] = Head(itself, banner)

SECTION: Section[QueryTable, QueryTable] = Section(
    "queries", "Queries", itself, lambda table: fragment("sections/query_table.html.j2", table=table)
)
