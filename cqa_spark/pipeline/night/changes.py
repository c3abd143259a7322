"""What the dump changed since the published run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.history.cut import Cut
from cqa_spark.features.registry import group_class
from cqa_spark.features.touched import READ, Touched, changes, touched
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.night import CHANGES
from cqa_spark.lake.table import Table


@contextmanager
def changes_since(run: Run, last: Snapshot, groups: Iterable[str], cut: Cut) -> Iterator[Touched]:
    """Compare the run's tables with the published ones, and write how many rows changed.

    Args:
        run: a run with community tables and examples.
        last: the published run.
        groups: names of the feature groups whose values are wanted.
        cut: the moment up to which as-of groups look.

    Yields:
        What the changes touch, held while the block lasts.
    """
    versions = {table.name: (_rows(last, table), _rows(Snapshot(run.lake, run.record), table)) for table in READ}
    # A table that both runs have in the same version has no changes, and need not be read to see that.
    nothing = {table.name: (table.empty(run.lake.spark),) * 2 for table in READ if _is_same(run, last, table)}
    compared = changes(versions | nothing, [group_class(name) for name in groups])
    changed = {name: rows.persist() for name, rows in compared.items()}
    found = touched(changed, versions, cut)
    held = Touched(found.threads.persist(), found.authors.persist(), found.pairs.persist())
    try:
        with run.step("changes") as step:
            counts = [_counts(table, changed[table.name]) for table in READ]
            run.write(CHANGES, reduce(DataFrame.unionByName, counts))
            step.rows_in = run.read(CHANGES).agg(F.coalesce(F.sum("rows"), F.lit(0))).head()[0]  # type: ignore[index]
            step.rows_out = held.threads.count() + held.authors.count()
        yield held
    finally:
        for frame in (*changed.values(), held.threads, held.authors, held.pairs):
            frame.unpersist()


def _is_same(run: Run, last: Snapshot, table: Table) -> bool:
    version = run.record.table_versions.get(table.name)
    return version is not None and version == last.record.table_versions.get(table.name)


def _rows(snapshot: Snapshot, table: Table) -> DataFrame:
    return snapshot.read(table) if snapshot.has(table) else table.empty(snapshot.lake.spark)


def _counts(table: Table, changed: DataFrame) -> DataFrame:
    rows = changed.select(*table.key, "change").distinct()
    return rows.groupBy("site", F.lit(table.name).alias("table_name"), "change").agg(F.count("*").alias("rows"))
