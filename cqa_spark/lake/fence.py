"""Fences the tables against a writer that lost the lease and may still be running.

A writer that was paused between the check of its lease and its commit, and resumes, would commit the next version.
Fencing therefore gives up the version after the newest: it gets a commit without data, so that the late writer cannot
create its entry of the log, and a checkpoint. Readers of all later versions start from the checkpoint and never read
that entry, which Delta's own writer would overwrite on object storage if it was paused after looking for it.

Source: the protocol of Delta's transaction log, "Checkpoints"; Delta's documentation, "Storage configuration", "Amazon
S3", and "Concurrency control", ``MetadataChangedException``.
"""

from __future__ import annotations

from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.published_copies import COPIES
from cqa_spark.lake.storage import Lake

FENCE = "fence"
"""Author of the commits that shut a late writer out."""

_INTERVAL = "delta.checkpointInterval"
_AUTHOR = "spark.databricks.delta.commitInfo.userMetadata"


def fence_tables(lake: Lake) -> None:
    """Give up the version after the newest of every table.

    Args:
        lake: taken over from a writer that may still be running.
    """
    lake.spark.conf.set(_AUTHOR, FENCE)
    try:
        for name in [*lake.objects.folders(), *(copy.name for copy in COPIES)]:
            if CommitLog(lake.objects, name).newest_version() is not None:
                _fence(lake, name)
    finally:
        lake.spark.conf.unset(_AUTHOR)


def _fence(lake: Lake, name: str) -> None:
    table = f"ALTER TABLE delta.`{lake.path(name)}`"
    lake.before_commit()
    lake.spark.sql(f"{table} SET TBLPROPERTIES ('{_INTERVAL}' = '1')")  # so that this commit gets a checkpoint
    lake.before_commit()
    lake.spark.sql(f"{table} UNSET TBLPROPERTIES IF EXISTS ('{_INTERVAL}')")
