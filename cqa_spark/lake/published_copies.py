"""Copies of published tables, for Delta readers that do not use ``published.json``.

The newest version of a table of the lake may belong to a run that failed its checks. ``LAKE/published/NAME`` is a
separate Delta table whose newest version contains the published rows. It is a full copy, not a shallow clone: the log
of a clone contains absolute paths, which break when the lake is moved and which some readers, such as delta-rs, do not
resolve.

Source: the protocol of Delta's transaction log, "Add File and Remove File"; Delta's documentation, "Shallow clone a
Delta table".
"""

from __future__ import annotations

import re
from dataclasses import replace

from pyspark.sql import functions as F

from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.pointer import read_pointer
from cqa_spark.lake.run_record import RunRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.storage import Lake
from cqa_spark.lake.table import Table

FOLDER = "published"


def copy_of(table: Table) -> Table:
    """The declaration of a table's copy."""
    return replace(table, name=f"{FOLDER}/{table.name}")


COPIES = {copy_of(table): table for table in (RANKINGS,)}
"""The copies, each with its source table."""


def update_copies(lake: Lake) -> None:
    """Update every copy to the published rows, in one commit each; starts no Spark if the copies are up to date.

    If the published run has no such table, an existing copy becomes empty.

    Args:
        lake: leased by this process.
    """
    published = read_pointer(lake.objects).record
    if published is not None:
        for copy, table in COPIES.items():
            _update(lake, copy, table, published)


def _update(lake: Lake, copy: Table, table: Table, published: RunRecord) -> None:
    version = published.table_versions.get(table.name)
    source = f"no {table.name}" if version is None else f"{table.name} version {version}"
    current = _source(lake, copy)
    if current == source or (current is None and version is None):
        return
    rows = table.empty(lake.spark) if version is None else lake.read(table, version)
    earlier = None if current is None else re.fullmatch(rf"{table.name} version (\d+)", current)
    if version is None or earlier is None:
        lake.write(copy, rows, author=source)
        return
    sites = lake.state(table, version).changed_sites(lake.state(table, int(earlier[1])))
    of_sites = rows.where(F.col("site").isin(*sites))
    lake.replace(copy, of_sites, sites=sites, base=lake.newest_version(copy), author=source)


def _source(lake: Lake, copy: Table) -> str | None:
    """The source version of a copy, recorded as the author of its newest commit; None if there is no copy."""
    log = CommitLog(lake.objects, copy.name)
    newest = log.newest_version()
    if newest is None:
        return None
    commit = log.commit(newest)
    return (commit.author or "").partition(",")[0] if commit is not None else ""
