"""``cqa runs gc``: deletes files that no published run or rollback needs."""

from __future__ import annotations

from cqa_spark.config.settings import CollectGarbageSettings
from cqa_spark.lake.collection import collect
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import write_lake


def collect_garbage(settings: CollectGarbageSettings) -> None:
    """Delete files that only old or failed runs need."""
    with write_lake(settings, "gc", create=False) as lake:
        found = collect(lake, settings.keep)
    Terminal().line(f"kept: {', '.join(record.run_id for record in found.kept) or 'no run'}")
    Terminal().line(
        f"deleted {found.files} files, {found.bytes / 1e6:,.1f} MB; collected: {', '.join(found.attempts) or 'no run'}"
    )
