"""What the dump changed since the published run, and what that touches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.history.cut import Cut
from cqa_spark.features.registry import group_class
from cqa_spark.features.touched import READ, changes, touched
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHANGES, TOUCHED
from cqa_spark.lake.table import Table


def changes_step(run: Run, last: Snapshot, groups: Iterable[str], cut: Cut) -> None:
    """Compare the run's tables with the published ones; write how many rows changed, and the examples that they touch.

    Args:
        run: a run with community tables and examples.
        last: the published run.
        groups: names of the feature groups whose values are wanted.
        cut: the moment up to which as-of groups look.
    """
    versions = {table.name: (_rows(last, table), _rows(Snapshot(run.lake, run.record), table)) for table in READ}
    # A table that both runs have in the same version has no changes, and need not be read to see that.
    nothing = {table.name: (table.empty(run.lake.spark),) * 2 for table in READ if run.shares(table, last)}
    compared = changes(versions | nothing, [group_class(name) for name in groups])
    changed = {name: rows.persist() for name, rows in compared.items()}
    found = touched(changed, versions, cut)
    found.authors.persist()
    try:
        with run.step("changes") as step:
            counts = [_counts(table, changed[table.name]) for table in READ]
            run.write(CHANGES, reduce(DataFrame.unionByName, counts))
            step.rows_in = run.read(CHANGES).agg(F.coalesce(F.sum("rows"), F.lit(0))).head()[0]  # type: ignore[index]
            # Stored, not held: else every plan that reads it would hold the plan that it came from, thousands of lines.
            step.rows_out = run.write(TOUCHED, found.examples(run.read(EXAMPLES))).rows
    finally:
        for frame in (*changed.values(), found.authors):
            frame.unpersist()


def _rows(snapshot: Snapshot, table: Table) -> DataFrame:
    return snapshot.read(table) if snapshot.has(table) else table.empty(snapshot.lake.spark)


def _counts(table: Table, changed: DataFrame) -> DataFrame:
    rows = changed.select(*table.key, "change").distinct()
    return rows.groupBy("site", F.lit(table.name).alias("table_name"), "change").agg(F.count("*").alias("rows"))
