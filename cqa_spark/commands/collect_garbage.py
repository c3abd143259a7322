"""``cqa runs gc``: deletes files that no published run or rollback needs."""

from __future__ import annotations

from cqa_spark.config.settings import CollectGarbageSettings
from cqa_spark.lake.garbage import remove_attempts, runs_to_keep, vacuum_tables
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import write_lake


def collect_garbage(settings: CollectGarbageSettings) -> None:
    """Delete files that only old or failed runs need."""
    with write_lake(settings, "gc", create=False) as lake:
        kept = runs_to_keep(lake, settings.keep)
        removed = remove_attempts(lake, kept)
        tables = vacuum_tables(lake, kept)
    Terminal().line(f"kept: {', '.join(record.run_id for record in kept) or 'no run'}")
    Terminal().line(f"removed {len(removed)} folders of models; vacuumed {len(tables)} tables")
