"""a run and the published one → the changed rows of the community tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.settings import NightlySettings
from cqa_spark.features.changed_rows import COMMUNITY, changes, together
from cqa_spark.features.registry import group_class
from cqa_spark.lake.journal import Entry
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.night import CHANGED_ROWS, CHANGES
from cqa_spark.lake.table import Table
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.reuse import can_reuse
from cqa_spark.steps.score import load_trained
from cqa_spark.systems.trained_system import model_artifact


@dataclass(frozen=True)
class Changes(Step):
    """Compare the run's community tables with the published ones.

    The rows are written only if the published examples, features and rankings can be reused (``can_reuse``), and if the
    dump is large enough for that to save time (``--incremental-from``).

    Attributes:
        last: the published run.
        kept: names of the reused systems; empty if the run trains, so that nothing else is reused.
        groups: names of the feature groups of the systems that rank.
        settings: of the nightly run.
    """

    last: Snapshot
    kept: Sequence[str]
    groups: Sequence[str]
    settings: NightlySettings

    name = "changes"

    def reads(self) -> tuple[Product, ...]:
        """Posts and comments, and the models."""
        return POSTS, COMMENTS, *[Artifact(model_artifact(name)) for name in self.kept]

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has, and the counts of files."""
        return USERS, VOTES, BADGES, INGESTED_FILES

    def writes(self) -> tuple[Product, ...]:
        """The numbers of changed rows, and the rows."""
        return CHANGES, CHANGED_ROWS

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare and write."""
        versions = {table: versions_of(run, self.last, table) for table in COMMUNITY}
        found = changes(versions, [group_class(name) for name in self.groups])
        with persisted(*found.values()) as scans:
            changed = dict(zip(found, scans, strict=True))
            entries = count_changes(changed, COMMUNITY)
            write_counts(run, entries)
            counts.rows_in = sum(entry["rows"] for entry in entries)
            if self._can_reuse(run):
                counts.rows_out = run.set_aside(CHANGED_ROWS, together(changed))

    def _can_reuse(self, run: Run) -> bool:
        lines = sum(entry["lines"] or 0 for entry in run.entries_or_none(INGESTED_FILES))
        if not self.kept or lines < self.settings.dumps.incremental_from:
            return False
        return can_reuse(run, self.last, load_trained(run, self.kept), self.settings, ("answers", "features"))


def versions_of(run: Run, last: Snapshot, table: Table) -> tuple[DataFrame, DataFrame]:
    """The published rows and the run's, limited to those that may differ."""
    if run.has(table) and last.has(table):
        since, until = (each.record.table_versions[table.name] for each in (last, run))
        return run.lake.read_changes(table, since, until)
    return rows_of(last, table), rows_of(run, table)


def rows_of(tables: Run | Snapshot, table: Table) -> DataFrame:
    """The rows of a table; none if the run does not have it."""
    return tables.read(table) if tables.has(table) else table.empty(tables.lake.spark)


def count_changes(changed: Mapping[str, DataFrame], tables: Iterable[Table]) -> list[Entry]:
    """The entries of ``CHANGES`` for some tables.

    Args:
        changed: the rows of ``changed_rows.changes``, by table name.
        tables: the tables to count.
    """
    by_change = (
        changed[table.name]
        .select(*table.key, "change")
        .distinct()
        .groupBy("site", F.lit(table.name).alias("table_name"), "change")
        .agg(F.count("*").alias("rows"))
        for table in tables
    )
    return [row.asDict() for row in reduce(DataFrame.unionByName, by_change).collect()]


def write_counts(run: Run, entries: Iterable[Entry]) -> None:
    """Write the entries of ``CHANGES``, in the order of their keys."""
    run.write_entries(CHANGES, sorted(entries, key=lambda entry: [entry[name] for name in CHANGES.key]))
