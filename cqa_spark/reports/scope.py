"""The rows of a run's tables that a report covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F


@dataclass(frozen=True)
class Scope:
    """The tables of one run, restricted to one task and split.

    Attributes:
        tables: declared tables by name, without those that the run did not write.
        task: name of the task.
        split: split of the evaluation.
        main_measure: measure that orders the systems.
        best_system: system that the page presents first.
        baseline: system that the others are compared with; None if there is none.
    """

    tables: Mapping[str, DataFrame]
    task: str
    split: str
    main_measure: str
    best_system: str
    baseline: str | None

    def table(self, name: str) -> DataFrame | None:
        """The rows of a table for the task and split; a table without these columns is not filtered."""
        frame = self.tables.get(name)
        if frame is None:
            return None
        for column, wanted in (("task", self.task), ("split", self.split)):
            if column in frame.columns:
                frame = frame.where(F.col(column) == wanted)
        return frame

    def rows(self, name: str) -> list[Row]:
        """Collect a table that has few rows; empty if the run did not write it."""
        frame = self.table(name)
        return [] if frame is None else frame.collect()

    def rankings(self) -> DataFrame:
        """The rankings of all systems."""
        rankings = self.table("rankings")
        assert rankings is not None, "collect_content checks that the rankings are there"
        return rankings
