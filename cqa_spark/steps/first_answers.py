"""a run and the published one → the queries whose order begins with another candidate."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.lake.schemas.night import FIRST_ANSWERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.changed_sites import of_sites

SHOWN = 20
"""Largest number of queries that are listed."""


_STORED = [column.name for column in FIRST_ANSWERS.columns if column.name != "changed"]


@dataclass(frozen=True)
class FirstAnswers(Step):
    """List queries of changed sites whose order begins with another candidate than last night.

    Attributes:
        last: the published run.
    """

    last: Snapshot

    name = "first answers"

    def reads(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    def writes(self) -> tuple[Product, ...]:
        """Some of the queries, and their number."""
        return (FIRST_ANSWERS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare and write."""
        sites = run.changed_sites([RANKINGS], self.last) if self.last.has(RANKINGS) else set()
        entries: list[Entry] = []
        if sites:
            before, after = (of_sites(tables.read(RANKINGS), sites) for tables in (self.last, run))
            entries = changed_first_answers(before, after)
        counts.rows_in = entries[0]["changed"] if entries else 0
        counts.rows_out = run.write_entries(FIRST_ANSWERS, entries)


def changed_first_answers(before: DataFrame, after: DataFrame, by: Sequence[str] = QUERY) -> list[Entry]:
    """The first ``SHOWN`` queries whose served order begins with another candidate: entries of ``FIRST_ANSWERS``.

    Args:
        before: rows of ``RANKINGS`` of the earlier run.
        after: those of the later run; queries that only one of them serves are no changes.
        by: columns that identify an order; with ``system``, that of every system instead of the one that is served.
    """
    sides = [
        rankings.where("rank = 1" if "system" in by else "served AND rank = 1").select(
            *by, F.col("candidate_id").alias(side), F.col("system").alias(f"order_{side}")
        )
        for side, rankings in (("before", before), ("after", after))
    ]
    with persisted(sides[0].join(sides[1], on=list(by)).where("before <> after")) as (changed,):
        number = changed.count()
        rows = changed.orderBy(*by).limit(SHOWN).collect() if number else []
    return [{name: row[name] for name in _STORED} | {"changed": number} for row in rows]
