"""``cqa export``: the rankings of a run → files for serving."""

from cqa_spark.config.nightly_settings import ExportSettings
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.steps.rankings_export import export_rankings, served_system

PUBLISHED = "published"
"""Names the published run, whichever it is."""


def export(settings: ExportSettings) -> None:
    """Write the files and print the path of their manifest."""
    snapshot = snapshot_of(read_lake(settings), None if settings.run == PUBLISHED else settings.run)
    system = settings.system or served_system(snapshot)
    folder, alone = settings.output.rstrip("/"), settings.system is not None
    manifest = export_rankings(snapshot, system, folder, settings.format, alone=alone)
    Terminal().line(f"exported {snapshot.record.run_id}, rankings by {system}: {manifest}")
