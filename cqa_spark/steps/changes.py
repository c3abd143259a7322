"""What the dump changed since the published run, and what that touches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.features.change_impact import READ, changes, touched
from cqa_spark.features.history.cut import Cut
from cqa_spark.features.registry import group_class
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.night import CHANGES, TOUCHED
from cqa_spark.lake.table import Table


def changes_step(run: Run, last: Snapshot, groups: Iterable[str], cut: Cut, *, wants_touched: bool) -> None:
    """Compare the run's tables with the published ones; write how many rows changed, and the examples that they touch.

    Args:
        run: a run with community tables and examples.
        last: the published run.
        groups: names of the feature groups whose values are wanted.
        cut: the moment up to which as-of groups look.
        wants_touched: whether anybody asks for the examples.
    """
    with run.step("changes") as step, _changed(run, last, groups) as changed:
        counts = [_counts(table, changed[table.name]) for table in READ]
        run.write(CHANGES, reduce(DataFrame.unionByName, counts))
        step.rows_in = run.read(CHANGES).agg(F.coalesce(F.sum("rows"), F.lit(0))).head()[0]  # type: ignore[index]
        if wants_touched:
            step.rows_out = _write_touched(run, changed, cut)


@contextmanager
def _changed(run: Run, last: Snapshot, groups: Iterable[str]) -> Iterator[Mapping[str, DataFrame]]:
    """The changed rows of each table, held while the block lasts."""
    versions = {table.name: _versions(run, last, table) for table in READ}
    changed = {name: rows.persist() for name, rows in changes(versions, [group_class(name) for name in groups]).items()}
    try:
        yield changed
    finally:
        for rows in changed.values():
            rows.unpersist()


def _write_touched(run: Run, changed: Mapping[str, DataFrame], cut: Cut) -> int:
    """Store the examples that changes touch, and count them.

    Were they held, every plan that reads them would hold the plan that they came from, thousands of lines.
    """
    found = touched(changed, {table.name: _rows(run, table) for table in READ}, cut)
    found.authors.persist()
    try:
        return run.write(TOUCHED, found.examples(run.read(EXAMPLES))).rows
    finally:
        found.authors.unpersist()


def _versions(run: Run, last: Snapshot, table: Table) -> tuple[DataFrame, DataFrame]:
    """The published rows and the run's, as far as they may differ."""
    if run.has(table) and last.has(table):
        since, until = (each.record.table_versions[table.name] for each in (last, run))
        return run.lake.read_changes(table, since, until)
    return _rows(last, table), _rows(run, table)


def _rows(tables: Run | Snapshot, table: Table) -> DataFrame:
    return tables.read(table) if tables.has(table) else table.empty(tables.lake.spark)


def _counts(table: Table, changed: DataFrame) -> DataFrame:
    rows = changed.select(*table.key, "change").distinct()
    return rows.groupBy("site", F.lit(table.name).alias("table_name"), "change").agg(F.count("*").alias("rows"))
