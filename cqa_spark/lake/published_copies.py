"""Copies of published tables, for readers that know Delta and not our ``published.json``.

The newest version of a table of the lake may be of a run that failed its checks. ``LAKE/published/NAME`` is a Delta
table of its own, whose newest version holds the published rows. It is a full copy and no shallow clone. The log of a
clone holds absolute paths, which break when the lake is moved and which some readers, such as delta-rs, do not resolve.

Source: the protocol of Delta's transaction log, "Add File and Remove File"; Delta's documentation, "Shallow clone a
Delta table".
"""

from __future__ import annotations

from dataclasses import replace

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
"""The copies, each with the table that it is of."""


def update_copies(lake: Lake) -> None:
    """Make every copy hold what is published, in one commit each; starts no Spark where it already does.

    Where the published run has no such table, the copy becomes empty, if there is one.

    Args:
        lake: held by this process.
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
    lake.write(copy, table.empty(lake.spark) if version is None else lake.read(table, version), author=source)


def _source(lake: Lake, copy: Table) -> str | None:
    """What a copy was made of, as the author of its newest commit; None where there is no copy."""
    log = CommitLog(lake.objects, copy.name)
    newest = log.newest_version()
    if newest is None:
        return None
    commit = log.commit(newest)
    return (commit.author or "").partition(",")[0] if commit is not None else ""
