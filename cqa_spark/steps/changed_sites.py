"""Which sites a run computes, and how it keeps the published rows of all others.

The unit of change is the site. Ingesting keeps the files of sites whose dump did not change; the sites whose files
differ from those of the published run are computed from end to end, as in a first run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pydantic import BaseModel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.config.yaml_files import parse_yaml
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.table import RunTable, Table
from cqa_spark.spark.persistence import persisted
from cqa_spark.systems.trained_system import model_artifact

Sites = Collection[str] | None
"""Names of sites; None for all sites of a run."""

_QUERY = ["site", "query_id"]
_PAIR = [*_QUERY, "candidate_id"]


def sites_to_update(
    run: Run,
    last: Snapshot | None,
    table: Table,
    inputs: Sequence[Table],
    *,
    settings: Mapping[str, BaseModel],
    models: Sequence[str] = (),
) -> Sites:
    """The sites whose rows of a table have to be computed; the published rows of others are valid.

    Args:
        run: the run, which has the inputs.
        last: the published run; None to compute all rows.
        table: the table, whose rows follow from those of the same site.
        inputs: the tables that they follow from.
        settings: the settings that they follow from, by section.
        models: the trained systems that they follow from.

    Returns:
        The sites; all, if none is published, or the table was computed by other code, settings or models.
    """
    if last is None or not last.has(table):
        return None
    if not isinstance(table, RunTable) and "site" not in last.state(table).partition_by:
        return None
    if not same_origin(run, last, settings, [model_artifact(name) for name in models]):
        return None
    return run.changed_sites(inputs, last)


def of_sites(frame: DataFrame, sites: Sites) -> DataFrame:
    """The rows of some sites."""
    return frame if sites is None else frame.where(F.col("site").isin(*sites))


def keep_tables(run: Run, last: Snapshot | None, tables: Iterable[Table], sites: Sites) -> bool:
    """Use the published tables if no site has to be computed; return whether this is so."""
    if last is None or sites is None or sites:
        return False
    for table in tables:
        run.adopt(table, last.record.table_versions[table.name])
    return True


def update_sites(
    run: Run, last: Snapshot | None, table: Table, rows: DataFrame, sites: Sites, *, ranked: DataFrame | None = None
) -> None:
    """Write the rows of some sites beside the published ones of others, or all.

    Args:
        run: the run to write to.
        last: the published run, if there are sites.
        table: the table.
        rows: of these sites, and perhaps of others.
        sites: as ``sites_to_update`` gives them.
        ranked: queries of these sites whose published rows are kept, too: site and query_id.
    """
    if last is None or sites is None:
        run.write(table, rows)
        return
    published, rows = last.read(table), of_sites(rows, sites)
    if ranked is not None:
        of_ranked = of_sites(published, sites).join(ranked, on=_QUERY, how="left_semi")
        rows = rows.unionByName(of_ranked, allowMissingColumns=True)
    if isinstance(table, RunTable):
        run.write(table, rows.unionByName(published.where(~F.col("site").isin(*sites))))
    else:
        run.replace(table, rows, sites=sites, base=last.record.table_versions[table.name])


@contextmanager
def ranked_before(run: Run, last: Snapshot | None, task: str, sites: Sites) -> Iterator[DataFrame | None]:
    """The queries of some sites that have exactly the published candidates: site and query_id; persisted.

    Args:
        run: the run, which has examples.
        last: the published run; None to rank all queries.
        task: the task of the queries.
        sites: as ``sites_to_update`` gives them; all to rank all queries.

    Yields:
        The queries; None if all are ranked.
    """
    if last is None or sites is None:
        yield None
        return
    signed = [
        of_sites(tables.read(EXAMPLES), sites).where(F.col("task") == task).select(*_PAIR, F.lit(sign).alias("sign"))
        for tables, sign in ((run, 1), (last, -1))
    ]
    by_pair = signed[0].unionByName(signed[1]).groupBy(*_PAIR).agg(F.sum("sign").alias("sign"))
    same = by_pair.groupBy(*_QUERY).agg((F.count_if(F.col("sign") != 0) == 0).alias("is_same"))
    with persisted(same.where("is_same").select(*_QUERY)) as (ranked,):
        yield ranked


def except_queries(examples: DataFrame, ranked: DataFrame | None) -> DataFrame:
    """The examples of all queries but those that ``ranked_before`` gives."""
    return examples if ranked is None else examples.join(ranked, on=_QUERY, how="left_anti")


def same_origin(run: Run, last: Snapshot, settings: Mapping[str, BaseModel], models: Iterable[str] = ()) -> bool:
    """Whether both runs have the same code, settings of the given sections, and artifacts of trained systems."""
    before = parse_yaml(last.record.config, f"settings of run {last.record.run_id}").value or {}
    return (
        last.record.code_version == run.record.code_version
        and all(before.get(name) == section.model_dump(mode="json") for name, section in settings.items())
        and all(last.record.artifacts.get(name) == run.record.artifacts[name] for name in models)
    )
