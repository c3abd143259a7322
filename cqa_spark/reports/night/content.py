"""The changes and checks of a nightly run, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.checks.check import Verdict


@dataclass(frozen=True)
class TableChange:
    """Number of rows of a table of a site that changed, in the published run and in this one."""

    site: str
    table: str
    rows_before: int
    rows: int


@dataclass(frozen=True)
class Night:
    """The changes and checks of a nightly run; no changes if nothing was published before."""

    changes: tuple[TableChange, ...]
    verdicts: tuple[Verdict, ...]
