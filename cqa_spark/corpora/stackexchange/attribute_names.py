"""Checks the names of attributes in the first rows of a file, before it is read."""

from __future__ import annotations

import re

from cqa_spark.corpora.stackexchange.dump_files import DumpFile
from cqa_spark.errors import InputError

ESSENTIAL = ("body", "created_at")
"""Columns that the rows of every dump fill, if their table has them."""

_ROW = re.compile(rb"<row\s[^<>]*")
_NAME = re.compile(rb"\s([A-Za-z_][\w.-]*)\s*=\s*[\"']")


def refuse_renamed_attributes(file: DumpFile, head: bytes) -> None:
    """Refuse a file whose first rows lack an essential attribute and have undeclared ones: it was renamed.

    Args:
        file: the file.
        head: its first bytes, uncompressed.

    Raises:
        InputError: every text or time of the file would be null; the message says which names were seen.
    """
    rows = [_NAME.findall(row) for row in _ROW.findall(head)]
    seen = dict.fromkeys(name.decode("utf-8", "replace") for row in rows for name in row)
    declared = file.dump_table.attributes
    missing = [name for name, column in declared.items() if column in ESSENTIAL and name not in seen]
    if missing and seen.keys() - declared.keys():
        raise InputError(
            f"{file.path}: the first {len(rows)} rows have no {' and no '.join(missing)}\n"
            f"    expected: {', '.join(declared)}\n    seen: {', '.join(seen)}",
            "rename the attributes to those of the Stack Exchange data dump",
        )
