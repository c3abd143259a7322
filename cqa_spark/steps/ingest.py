"""files → community tables."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.corpora.source import Source
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.runtime.step import Product, Step


@dataclass(frozen=True)
class Ingest(Step):
    """Read files of any format into community tables, quarantine and counts per file.

    Attributes:
        source: the files.
    """

    source: Source

    name = "ingest"
    records_parts = True

    def writes(self) -> tuple[Product, ...]:
        """The tables that the format fills."""
        return self.source.tables

    def prepare(self) -> None:
        """Find the files."""
        self.source.find()

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Ingest them."""
        self.source.ingest(run)
