"""The part of a run that a report covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry


@dataclass(frozen=True)
class Scope:
    """The tables of one run, restricted to one task and split.

    Attributes:
        tables: declared tables by name, without those that the run did not write.
        journal: entries of journal tables by name, without those that the run did not write.
        task: name of the task.
        split: split of the evaluation.
        main_measure: measure that orders the systems.
        best_system: system that the page presents first.
        baseline: system that the others are compared with; None if there is none.
    """

    tables: Mapping[str, DataFrame]
    journal: Mapping[str, Sequence[Entry]]
    task: str
    split: str
    main_measure: str
    best_system: str
    baseline: str | None

    def table(self, name: str) -> DataFrame | None:
        """The rows of a table for the task and split; None if the run did not write it."""
        frame = self.tables.get(name)
        if frame is None:
            return None
        return frame.where((F.col("task") == self.task) & (F.col("split") == self.split))

    def entries(self, name: str) -> list[Entry]:
        """The entries of a journal table for the task and split, where it has these columns; empty if it is absent."""
        covered = {"task": self.task, "split": self.split}
        return [
            entry
            for entry in self.journal.get(name, ())
            if all(entry[column] == wanted for column, wanted in covered.items() if column in entry)
        ]

    def rankings(self) -> DataFrame:
        """The rankings of all systems."""
        rankings = self.table("rankings")
        assert rankings is not None, "collect_content checks that the rankings are there"
        return rankings
