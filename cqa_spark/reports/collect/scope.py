"""Which rows of the run's tables the report speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


@dataclass(frozen=True)
class Scope:
    """The tables of one run, and the part of them that is shown.

    Attributes:
        tables: declared tables by name; those that a run did not write may be absent.
        task: what is ranked for what.
        split: the part that is measured on.
        main_measure: the measure that systems are ordered by.
        best_system: system that the page speaks of first.
        baseline: system that the others are compared with; None where there is none.
    """

    tables: Mapping[str, DataFrame]
    task: str
    split: str
    main_measure: str
    best_system: str
    baseline: str | None

    def table(self, name: str) -> DataFrame | None:
        """The rows of a table that belong to the task and split, where the table has such columns."""
        frame = self.tables.get(name)
        if frame is None:
            return None
        for column, wanted in (("task", self.task), ("split", self.split)):
            if column in frame.columns:
                frame = frame.where(F.col(column) == wanted)
        return frame

    def rankings(self) -> DataFrame:
        """Every system's ranking."""
        rankings = self.table("rankings")
        assert rankings is not None, "collect_content checks that the rankings are there"
        return rankings
