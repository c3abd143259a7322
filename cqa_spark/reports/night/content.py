"""What a night found, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.checks.check import Verdict


@dataclass(frozen=True)
class TableChange:
    """Rows of one table of one site that are new, gone or changed since the published run."""

    site: str
    table: str
    new: int
    gone: int
    changed: int


@dataclass(frozen=True)
class Night:
    """What a night found; no changes where nothing was published before."""

    changes: tuple[TableChange, ...]
    verdicts: tuple[Verdict, ...]
