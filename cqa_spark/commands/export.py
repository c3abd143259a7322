"""``cqa export``: the published rankings → files for serving."""

from __future__ import annotations

from cqa_spark.config.settings import ExportSettings
from cqa_spark.lake.publishing import published_snapshot
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import write_lake
from cqa_spark.steps.export import export_rankings, served_system


def export(settings: ExportSettings) -> None:
    """Export the published rankings, as a nightly run does after publishing."""
    with write_lake(settings, "export", create=False) as lake:
        published = published_snapshot(lake)
        system = settings.system or served_system(published)
        manifest = export_rankings(lake, published, system)
    Terminal().line(f"exported {published.record.run_id}, rankings by {system}: {manifest}")
