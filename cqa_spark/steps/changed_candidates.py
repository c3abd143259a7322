"""a run's candidates and the published ones → the queries to rank again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.settings import NightlySettings
from cqa_spark.features.group import Reach
from cqa_spark.lake.changes import GONE, NEW
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.examples import EXAMPLES, QUERY
from cqa_spark.lake.schemas.night import AFFECTED, CHANGES
from cqa_spark.runtime.step import Artifact, Product, Step
from cqa_spark.spark.persistence import persisted
from cqa_spark.steps.feature_inputs import task_examples
from cqa_spark.steps.reuse import can_reuse
from cqa_spark.steps.score import load_trained
from cqa_spark.systems.trained_system import model_artifact


@dataclass(frozen=True)
class ChangedCandidates(Step):
    """Find the queries that are new or have lost a candidate; all others keep their features and rankings.

    The examples of these queries are written only if the published features and rankings can be reused; see
    ``can_reuse``.

    Attributes:
        last: the published run.
        systems: names of the systems that rank.
        task: the task.
        settings: of the nightly run.
    """

    last: Snapshot
    systems: Sequence[str]
    task: str
    settings: NightlySettings

    name = "changes"

    def reads(self) -> tuple[Product, ...]:
        """The examples and the models."""
        return EXAMPLES, *[Artifact(model_artifact(name)) for name in self.systems]

    def writes(self) -> tuple[Product, ...]:
        """The numbers of new and gone examples, and the examples of the queries to rank again."""
        return CHANGES, AFFECTED

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Compare and write."""
        now, before = (task_examples(each, self.task).select(*EXAMPLES.key) for each in (run, self.last))
        changed = _only_in(now, before, NEW).unionByName(_only_in(before, now, GONE))
        with persisted(changed) as (changed,):
            by_site = changed.groupBy("site", F.lit(EXAMPLES.name).alias("table_name"), "change")
            rows = [row.asDict() for row in by_site.agg(F.count("*").alias("rows")).collect()]
            run.write_entries(CHANGES, sorted(rows, key=lambda row: [row[name] for name in CHANGES.key]))
            counts.rows_in = sum(row["rows"] for row in rows)
            if can_reuse(run, self.last, load_trained(run, self.systems), self.settings, ("features", "retrieval")):
                again = now.join(changed.select(*QUERY).distinct(), on=list(QUERY), how="left_semi")
                counts.rows_out = run.set_aside(AFFECTED, again.withColumn("reach", F.lit(Reach.THREAD.value)))


def _only_in(some: DataFrame, others: DataFrame, change: str) -> DataFrame:
    return some.join(others, on=list(EXAMPLES.key), how="left_anti").withColumn("change", F.lit(change))
