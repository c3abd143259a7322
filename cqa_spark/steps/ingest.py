"""files → community tables."""

import shlex
from collections.abc import Collection
from dataclasses import dataclass

from cqa_spark.corpora.accounting import check_accounting, frequent_reasons
from cqa_spark.corpora.source import Source
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.runtime.workspace import code_version


@dataclass(frozen=True)
class Ingest(Step):
    """Read files of any format into community tables, quarantine and counts per file.

    Attributes:
        source: the files.
        corpus: name of their format.
    """

    source: Source
    corpus: str

    name = "ingest"
    records_parts = True

    def writes(self) -> tuple[Product, ...]:
        """The tables that the format fills."""
        return self.source.tables

    def prepare(self) -> None:
        """Find the files."""
        self.source.find()

    def input_bytes(self) -> int | None:
        """Bytes of the files."""
        return self.source.bytes_to_read(None, code_version())

    def task_imports(self) -> Collection[str]:
        """What reads the files."""
        return self.source.task_imports

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Ingest them."""
        run.read_corpus(self.corpus)
        self.source.ingest(run)
        quarantined = check_accounting(run.entries_or_none(INGESTED_FILES)).rows_quarantined
        if quarantined:
            _explain(run, quarantined)


def _explain(run: Run, quarantined: int) -> None:
    """Print the reasons of quarantined records, and the table that contains them."""
    reasons = "\n    ".join(frequent_reasons(run.read(QUARANTINE)))
    command = f"cqa inspect --lake {shlex.quote(run.lake.root)} --run-id {run.run_id}"
    where = f"the table quarantine of {run.lake.root}; {command}"
    Terminal(stderr=True).text(f"quarantined, {quarantined:,} in all:\n    {reasons}\n  → {where}")
