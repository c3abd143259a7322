"""a run and the published one → the changes, and the examples that they affect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.settings import NightlySettings
from cqa_spark.features.change_impact import READ, affected_examples, changes
from cqa_spark.features.history.cut import Cut
from cqa_spark.features.registry import group_class
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.accounting import INGESTED_FILES
from cqa_spark.lake.schemas.activity import BADGES, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import AFFECTED, CHANGES
from cqa_spark.lake.table import Table
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.feature_inputs import as_cut
from cqa_spark.steps.reuse import can_reuse
from cqa_spark.steps.score import load_trained
from cqa_spark.systems.trained_system import model_artifact


@dataclass(frozen=True)
class Changes(Step):
    """Compare the run's tables with the published ones, and find the examples that the changes affect.

    The examples are written only if the published features and rankings can be reused (``can_reuse``), and if the
    dump is large enough for that to save time (``--incremental-from``).

    Attributes:
        last: the published run.
        systems: names of the systems that rank.
        groups: names of their feature groups.
        settings: of the nightly run.
    """

    last: Snapshot
    systems: Sequence[str]
    groups: Sequence[str]
    settings: NightlySettings

    name = "changes"

    def reads(self) -> tuple[Product, ...]:
        """The inputs of features, and the models."""
        return POSTS, COMMENTS, EXAMPLES, *[Artifact(model_artifact(name)) for name in self.systems]

    def reads_if_present(self) -> tuple[Product, ...]:
        """Tables that not every dump has, and the counts of files."""
        return USERS, VOTES, BADGES, INGESTED_FILES

    def writes(self) -> tuple[Product, ...]:
        """The numbers of changed rows, and the examples."""
        return CHANGES, AFFECTED

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare and write."""
        trained = load_trained(run, self.systems)
        versions = {table.name: _versions(run, self.last, table) for table in READ}
        found = changes(versions, [group_class(name) for name in self.groups])
        with persisted(*found.values()) as scans:
            changed = dict(zip(found, scans, strict=True))
            rows = [row.asDict() for row in reduce(DataFrame.unionByName, _counts(changed)).collect()]
            run.write_entries(CHANGES, sorted(rows, key=lambda row: [row[name] for name in CHANGES.key]))
            counts.rows_in = sum(row["rows"] for row in rows)
            lines = sum(entry["lines"] or 0 for entry in run.entries_or_none(INGESTED_FILES))
            is_large = lines >= self.settings.dumps.incremental_from
            if is_large and can_reuse(run, self.last, trained, self.settings, ("features",)):
                counts.rows_out = _write_affected(run, changed, as_cut(self.settings.features))


def _write_affected(run: Run, changed: Mapping[str, DataFrame], cut: Cut) -> int:
    """Write the examples that changes affect to a table, and count them."""
    with persisted(*(rows.where("tracked_changed") for rows in changed.values())) as scans:
        tracked = dict(zip(changed, scans, strict=True))
        # Page views change many rows, which are not tracked; of the others, once stored, Spark knows that they are few
        # enough to broadcast.
        reduce(DataFrame.unionByName, (rows.select("site") for rows in tracked.values())).count()
        with affected_examples(tracked, {table.name: _rows(run, table) for table in READ}, cut) as affected:
            return run.set_aside(AFFECTED, affected)


def _versions(run: Run, last: Snapshot, table: Table) -> tuple[DataFrame, DataFrame]:
    """The published rows and the run's, limited to those that may differ."""
    if run.has(table) and last.has(table):
        since, until = (each.record.table_versions[table.name] for each in (last, run))
        return run.lake.read_changes(table, since, until)
    return _rows(last, table), _rows(run, table)


def _rows(tables: Run | Snapshot, table: Table) -> DataFrame:
    return tables.read(table) if tables.has(table) else table.empty(tables.lake.spark)


def _counts(changed: Mapping[str, DataFrame]) -> Iterator[DataFrame]:
    for table in READ:
        rows = changed[table.name].select(*table.key, "change").distinct()
        yield rows.groupBy("site", F.lit(table.name).alias("table_name"), "change").agg(F.count("*").alias("rows"))
