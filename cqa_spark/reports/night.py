"""What a night found, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Row
from rich.table import Column, Table

from cqa_spark.checks.check import Verdict


def changes_table(rows: Sequence[Row]) -> Table:
    """A line for each site and table that changed.

    Args:
        rows: of the table ``changes``.
    """
    kinds = ("new", "gone", "changed")
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        counts.setdefault((row["site"], row["table_name"]), {})[row["change"]] = row["rows"]
    grid = Table("site", "table", *[Column(kind, justify="right") for kind in kinds], title="Changes")
    for (site, table), found in sorted(counts.items()):
        grid.add_row(site, table, *[f"{found.get(kind, 0):,}" for kind in kinds])
    return grid


def verdicts_table(verdicts: Sequence[Verdict]) -> Table:
    """A line for each check."""
    right = [Column(name, justify="right") for name in ("measured", "limit")]
    grid = Table("check", "verdict", *right, "what", title="Checks")
    for each in verdicts:
        grid.add_row(
            each.check, "passed" if each.passed else "FAILED", f"{each.measured:.4g}", f"{each.limit:.4g}", each.reason
        )
    return grid
