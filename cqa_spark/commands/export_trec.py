"""``cqa export trec``: the rankings and judgments of a run → TREC runs and qrels."""

from __future__ import annotations

from cqa_spark.config.settings import ExportTrecSettings
from cqa_spark.lake.publishing import snapshot_of
from cqa_spark.object_store.locations import local_target
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.steps.trec_export import write_trec


def export_trec(settings: ExportTrecSettings) -> None:
    """Write the files of a run, the published one by default."""
    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    with local_target(settings.trec, settings.object_storage) as folder:
        folder.mkdir(parents=True, exist_ok=True)
        files = write_trec(snapshot, folder, system=settings.system, split=settings.split)
    for file in files:
        Terminal().line(f"{settings.trec}/{file.name}")
