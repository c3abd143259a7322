"""The interface of source formats: find files before Spark starts, and ingest them into a run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.run import Run
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.table import Table


class Source(ABC):
    """Files of one format.

    Attributes:
        tables: tables that ``ingest`` may write.
    """

    tables: ClassVar[tuple[Table | JournalTable, ...]]

    def find(self) -> None:  # noqa: B027  dumps are found before their source is made
        """Find the files, without Spark.

        Raises:
            InputError: one is missing, unreadable or named twice.
        """

    def is_unchanged(self, last: Snapshot, code_version: str) -> bool:
        """Whether a published run has read these files with the same code and settings; without Spark.

        Args:
            last: the published run.
            code_version: of the code that reads the files.
        """
        return False

    @abstractmethod
    def bytes_to_read(self, last: Snapshot | None, code_version: str) -> int | None:
        """Bytes of text that ``ingest`` will read, an estimate for compressed files; None if unknown; without Spark.

        Args:
            last: the published run; None to count all files.
            code_version: of the code that reads the files.
        """

    @abstractmethod
    def ingest(self, run: Run) -> None:
        """Write community tables, quarantine and record counts of every file; record the parts as steps of the run.

        Raises:
            InputError: a file is truncated, or too many records were quarantined.
            ContractError: record counts disagree between the files and the tables.
        """


@dataclass(frozen=True)
class DumpFormat:
    """A format of dumps.

    Attributes:
        about: description, one sentence.
        source: creates the source of one dump per site, from its files and a job's settings.
        find: finds the dumps named in a job's settings; several dumps of a site are in order of time.
        check: refuses what ``find`` or the job would refuse, as far as listings and the ends of local files show it;
            unpacks and writes nothing, for dry runs.
    """

    about: str
    source: Callable[..., Source]
    find: Callable[..., Sequence[Source]]
    check: Callable[..., None] = lambda settings: None
