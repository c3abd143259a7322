"""The queries as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields
from pathlib import Path

from cqa_spark.process.control_characters import visible_line
from cqa_spark.reports.query_table.content import MeasuredQuery

HEADINGS = (*(field.name for field in fields(MeasuredQuery)), "difference")
_FORMULA = ("=", "+", "-", "@")


def write_csv(path: Path, found: Iterable[MeasuredQuery], *, keep: int) -> tuple[int, tuple[MeasuredQuery, ...]]:
    """Write the queries; values are fractions in full precision, and empty where they are not known.

    Args:
        path: the file.
        found: the queries.
        keep: number of queries to return.

    Returns:
        The number of queries, and the first of them.
    """
    first: list[MeasuredQuery] = []
    number = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADINGS)
        for query in found:
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
