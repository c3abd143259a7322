"""The changes and checks of a nightly run, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.checks.check import Verdict


@dataclass(frozen=True)
class TableChange:
    """Number of new, gone and changed rows in one table of one site since the published run."""

    site: str
    table: str
    new: int
    gone: int
    changed: int


@dataclass(frozen=True)
class Night:
    """The changes and checks of a nightly run; no changes if nothing was published before."""

    changes: tuple[TableChange, ...]
    verdicts: tuple[Verdict, ...]
