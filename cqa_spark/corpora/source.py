"""The interface of source formats: find files before Spark starts, and ingest them into a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.table import Table


class Source(ABC):
    """Files of one format.

    Attributes:
        tables: tables that ``ingest`` may write.
    """

    tables: ClassVar[tuple[Table | JournalTable, ...]]

    @abstractmethod
    def find(self) -> None:
        """Find the files, without Spark.

        Raises:
            InputError: one is missing, unreadable or named twice.
        """

    @abstractmethod
    def ingest(self, run: Run) -> None:
        """Write community tables, quarantine and record counts of every file; record the parts as steps of the run.

        Raises:
            InputError: a file is truncated, or too many records were quarantined.
            ContractError: record counts disagree between the files and the tables.
        """
