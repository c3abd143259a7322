"""changed rows + examples → the examples that the changes affect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame

from cqa_spark.config.sections import FeatureSettings
from cqa_spark.features.change_impact import affected_examples
from cqa_spark.features.changed_rows import by_table, changes
from cqa_spark.features.registry import group_class
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.activity import VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import AFFECTED, CHANGED_ROWS, CHANGES
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.changes import count_changes, rows_of, versions_of, write_counts
from cqa_spark.steps.feature_inputs import as_cut


@dataclass(frozen=True)
class Affected(Step):
    """Compare the run's examples with the published ones, and find those that changes affect.

    The latter are written only if the run has changed rows, that is, if it reuses published features and rankings.

    Attributes:
        last: the published run.
        groups: names of the feature groups of the systems that rank.
        settings: the cut of as-of groups.
    """

    last: Snapshot
    groups: Sequence[str]
    settings: FeatureSettings

    name = "affected"

    def reads(self) -> tuple[Product, ...]:
        """The tables that determine what a change affects, and the numbers of changed rows so far."""
        return POSTS, COMMENTS, EXAMPLES, CHANGES

    def reads_if_present(self) -> tuple[Product, ...]:
        """Votes and changed rows."""
        return VOTES, CHANGED_ROWS

    def writes(self) -> tuple[Product, ...]:
        """The numbers of changed rows, with those of the examples, and the affected examples."""
        return CHANGES, AFFECTED

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare and write."""
        versions = {EXAMPLES: versions_of(run, self.last, EXAMPLES)}
        found = changes(versions, [group_class(name) for name in self.groups])
        with persisted(found[EXAMPLES.name]) as (examples,):
            entries = count_changes({EXAMPLES.name: examples}, [EXAMPLES])
            write_counts(run, [*run.entries(CHANGES), *entries])
            counts.rows_in = sum(entry["rows"] for entry in entries)
            if run.has(CHANGED_ROWS):
                with self._changed(run, examples) as changed:
                    now = {table.name: rows_of(run, table) for table in (POSTS, COMMENTS, VOTES, EXAMPLES)}
                    with affected_examples(changed, now, as_cut(self.settings)) as affected:
                        counts.rows_out = run.set_aside(AFFECTED, affected)

    @contextmanager
    def _changed(self, run: Run, examples: DataFrame) -> Iterator[dict[str, DataFrame]]:
        """The changed rows by table name, persisted until the block ends.

        From a selection by table name, Spark would derive filters of partitions (dynamic partition pruning). In a
        union, it would also apply them to rows that are not partitioned, where it cannot evaluate them.
        """
        changed = by_table(run.read(CHANGED_ROWS))
        with persisted(*changed.values()) as scans:
            yield dict(zip(changed, scans, strict=True)) | {EXAMPLES.name: examples.where("tracked_changed")}
