"""Fences the tables against a writer that lost the lease and may still be running.

A writer that was paused between the check of its lease and its commit would commit the next version when it resumes.
Fencing therefore commits that version without data, so that the late writer cannot create its log entry, and adds a
checkpoint. Readers of later versions start from the checkpoint and never read that entry: on object storage, a late
writer of Delta itself, paused after its check that the entry does not exist, would overwrite it.

Source: the protocol of Delta's transaction log, "Checkpoints"; Delta's documentation, "Storage configuration", "Amazon
S3", and "Concurrency control", ``MetadataChangedException``.
"""

from __future__ import annotations

from cqa_spark.lake.commits import CommitLog
from cqa_spark.lake.published_copies import COPIES
from cqa_spark.lake.storage import Lake

FENCE = "fence"
"""Author of the fencing commits."""

_INTERVAL = "delta.checkpointInterval"
_AUTHOR = "spark.databricks.delta.commitInfo.userMetadata"


def fence_tables(lake: Lake) -> None:
    """Commit an empty version with a checkpoint to every table.

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
