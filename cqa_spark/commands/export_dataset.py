"""``cqa export dataset``: the examples, texts and rankings of a run → Parquet files with a dataset card."""

from cqa_spark.config.nightly_settings import ExportDatasetSettings
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.steps.dataset_export import write_dataset


def export_dataset(settings: ExportDatasetSettings) -> None:
    """Write the files of a run, the published one by default, and print the number of rows."""
    rows = write_dataset(snapshot_of(read_lake(settings), settings.run_id), settings.dataset.rstrip("/"))
    for name, splits in rows.items():
        counts = ", ".join(f"{number:,} ({split})" for split, number in splits.items())
        Terminal().line(f"{settings.dataset}/{name}: {counts}")
