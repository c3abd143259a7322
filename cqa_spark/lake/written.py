"""What a write to a table returns."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from cqa_spark.lake.new_files import NewFiles


@dataclass(frozen=True)
class Written:
    """The result of a write.

    Attributes:
        version: new version of the table.
        rows: number of rows that were passed in.
    """

    version: int
    rows: int


@dataclass(frozen=True)
class SetAside:
    """Rows that a process has written to files, and that belong to no version of a table.

    Attributes:
        frame: reads the rows.
        files: their files.
        newest: the newest version of the table before the rows were written; None before the first version.
    """

    frame: DataFrame
    files: NewFiles
    newest: int | None

    def union(self, later: SetAside) -> SetAside:
        """The rows of both."""
        return SetAside(self.frame.unionByName(later.frame), self.files.with_files_of(later.files), self.newest)
