"""Records as text: JSON and CSV in full precision, Markdown, LaTeX and a table of the terminal in rounded numbers."""

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import Any, Literal

from cqa_spark.process.terminal import Column, Terminal, TextTable, number

RecordFormat = Literal["table", "json", "csv", "latex", "markdown"]

_LATEX = str.maketrans({character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--", "\N{MINUS SIGN}": "$-$",
})  # fmt: skip


def print_records(
    records: Sequence[Mapping[str, Any]],
    form: RecordFormat,
    *,
    headings: Mapping[str, str] = {},
    shown: Callable[[float], str] = str,
    caption: str = "",
) -> None:
    """Print records that have the same keys.

    Args:
        records: the records.
        form: JSON and CSV keep keys, values and all digits; null and an empty field are None.
        headings: headings of keys in the other formats; default: the key.
        shown: how the other formats write a fraction.
        caption: text below a table of the terminal.
    """
    if form == "json":
        print(json.dumps(list(records), indent=2, ensure_ascii=False))
        return
    keys = list(records[0]) if records else []
    if form == "csv":
        writer = csv.DictWriter(sys.stdout, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return
    rows = [[_cell(record[key], shown) for key in keys] for record in records]
    names = [headings.get(key, key) for key in keys]
    numeric = [not any(isinstance(record[key], str) for record in records) for key in keys]
    if form == "table":
        columns = [number(name) if right else Column(name) for name, right in zip(names, numeric, strict=True)]
        Terminal().table(TextTable(*columns, caption=caption, rows=rows))
    else:
        print(text_table(names, rows, form, numeric), end="")


def text_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], form: Literal["latex", "markdown"], right: Sequence[bool]
) -> str:
    """A table in Markdown, or in LaTeX with the rules of booktabs.

    Args:
        headings: of the columns.
        rows: cells by row.
        form: the language.
        right: whether each column is aligned right.
    """
    text = StringIO()
    if form == "markdown":
        marks = ["---:" if is_right else "---" for is_right in right]
        for row in (headings, marks, *rows):
            text.write(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n")
        return text.getvalue()
    lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in (headings, *rows)]
    text.write(f"\\begin{{tabular}}{{{''.join('r' if is_right else 'l' for is_right in right)}}}\n\\toprule\n")
    text.write("\n".join([lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}"]) + "\n")
    return text.getvalue()


def _cell(value: Any, shown: Callable[[float], str]) -> str:
    if value is None:
        return ""
    return shown(value) if isinstance(value, float) else str(value)
