"""a run and the published one → the rows of changed sites, and the queries whose order begins otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.lake.schemas.night import CHANGES, FIRST_ANSWERS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import RunTables, Snapshot
from cqa_spark.lake.table import Table
from cqa_spark.runtime.flow import Product, Step
from cqa_spark.spark.frames import persisted
from cqa_spark.steps.changed_sites import of_sites

COUNTED = (POSTS, COMMENTS, USERS, VOTES, BADGES, EXAMPLES)


@dataclass(frozen=True)
class Changes(Step):
    """Count the rows of tables whose files of a site differ from the published ones, without Spark.

    Attributes:
        last: the published run.
    """

    last: Snapshot

    name = "changes"

    def reads(self) -> tuple[Product, ...]:
        """The tables of every night."""
        return POSTS, EXAMPLES

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has."""
        return tuple(table for table in COUNTED if table not in self.reads())

    def writes(self) -> tuple[Product, ...]:
        """The numbers."""
        return (CHANGES,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Count and write."""
        entries = [
            {
                "site": site,
                "table_name": table.name,
                "rows_before": _rows(self.last, table, site),
                "rows": _rows(run, table, site),
            }
            for table in COUNTED
            for site in run.changed_sites([table], self.last)
        ]
        counts.rows_out = run.write_entries(
            CHANGES, sorted(entries, key=lambda entry: (entry["site"], entry["table_name"]))
        )


def _rows(tables: RunTables, table: Table, site: str) -> int:
    return tables.files(table).rows_by_site()[site] if tables.has(table) else 0


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
