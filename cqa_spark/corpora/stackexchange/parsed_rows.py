"""Turns rows that an XML parser has read into typed columns; those with a value that does not fit are refused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from cqa_spark.corpora.stackexchange.dump_tables import ROW_ID, DumpTable
from cqa_spark.corpora.stackexchange.records import Outcome
from cqa_spark.corpora.stackexchange.row_columns import ARROW_TYPES, UNKNOWN, UNKNOWN_TYPE, AttributeColumns
from cqa_spark.corpora.stackexchange.values import Unfit, Value, value

SHOWN_CHARACTERS = 40


def parsed_rows(dump: DumpTable, outcomes: Iterable[Outcome]) -> tuple[AttributeColumns, list[Outcome]]:
    """The rows among outcomes, and the records that are refused.

    Args:
        dump: the kind of rows.
        outcomes: the outcomes of the parser.
    """
    values, unknown, spans, refused = [], [], [], []
    for outcome in outcomes:
        if outcome.attributes is not None:
            try:
                values.append(_values(dump, outcome.attributes))
            except Unfit as error:
                refused.append(replace(outcome, problem=str(error)))
                continue
            unknown.append({name: text for name, text in outcome.attributes.items() if name not in dump.attributes})
            spans.append((outcome.offset, outcome.offset + len(outcome.raw)))
        elif outcome.problem is not None:
            refused.append(outcome)
    ids = np.array([int(str(row[dump.attributes[ROW_ID]])) for row in values], np.int64)
    return AttributeColumns(columns_of(dump, values, unknown), ids, np.array(spans, np.int64).reshape(-1, 2)), refused


def columns_of(
    dump: DumpTable, rows: Sequence[Mapping[str, object]], unknown: Sequence[Mapping[str, str]]
) -> dict[str, pa.Array]:
    """The columns of rows that a parser has read.

    Args:
        dump: the kind of rows.
        rows: their values, by column.
        unknown: their attributes without a declared name.
    """
    columns = {
        column: pa.array([row.get(column) for row in rows], ARROW_TYPES[dump.kinds[column]])
        for column in dump.attributes.values()
    }
    maps = [list(attributes.items()) or None for attributes in unknown]
    return {**columns, UNKNOWN: pa.array(maps, UNKNOWN_TYPE)}


def _values(dump: DumpTable, attributes: Mapping[str, str]) -> dict[str, Value]:
    """The values of a row that a parser has read, by column.

    Raises:
        Unfit: a value is missing, or does not fit its column; the message says which.
    """
    values: dict[str, Value] = {}
    problem = ""
    for attribute, column in dump.attributes.items():
        kind, text = dump.kinds[column], attributes.get(attribute)
        try:
            values[column] = None if text is None else value(text, kind)
        except Unfit:
            problem = problem or f"{attribute} is no {kind.value}: {str(text)[:SHOWN_CHARACTERS]}"
    for attribute in dump.required:
        if values.get(dump.attributes[attribute], "") is None:
            raise Unfit(f"{attribute} is missing")
    if problem:
        raise Unfit(problem)
    return values
