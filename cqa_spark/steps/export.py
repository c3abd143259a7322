"""The published rankings → files for serving, and a manifest that names them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import yaml
from pyspark.sql import functions as F

from cqa_spark.errors import InputError, noted
from cqa_spark.lake.exports import MANIFEST, Exported, current_export
from cqa_spark.lake.folders import EXPORTS
from cqa_spark.lake.leased import LeasedLake
from cqa_spark.lake.plain_files import write_plain_files
from cqa_spark.lake.publishing import Snapshot, published_snapshot
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.runtime.step import Product, Step
from cqa_spark.spark.concurrency import run_concurrently
from cqa_spark.steps.exported_files import (
    JSON_LINES,
    PARQUET,
    ExportedFile,
    exported_files,
    in_order,
    require_every_row,
)
from cqa_spark.steps.publish import leased


@dataclass(frozen=True)
class Export(Step):
    """Write the published rankings to files for serving.

    Attributes:
        system: the system whose rankings are served.
    """

    system: str

    name = "export"
    delivers = True

    def reads(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Export the published rankings.

        Raises:
            ContractError: rows are missing from the files; the manifest is unchanged.
        """
        with noted(
            f"run {run.run_id} is published, and {MANIFEST} is unchanged; the next nightly run exports again, "
            f"or run: cqa export --lake {run.lake.root}"
        ):
            export_rankings(leased(run), published_snapshot(run.lake), self.system, since=current_export(run.lake))


def export_rankings(lake: LeasedLake, published: Snapshot, system: str, *, since: Exported | None = None) -> str:
    """Write the rankings of the published run, by site, and replace the manifest; return its path.

    Files of earlier exports stay, for readers that have them open, until garbage is collected.

    Args:
        lake: leased by this process.
        published: the published run.
        system: the system whose rankings are served.
        since: an export whose files are kept of sites that have not changed since; None to write all files.

    Raises:
        InputError: the run has rankings, but none of this system.
        ContractError: rows are missing from the files; the manifest is unchanged.
        AnotherWriter: this process no longer holds the lease.
    """
    record = published.record
    served_rows = _rows_of(published, system)
    folder = f"{EXPORTS}/{record.run_id}/{lake.lease.token}"
    served = published.read(RANKINGS).where(F.col("system") == system).drop("run_id", "system", "split")
    kept: list[ExportedFile] = []
    if since is not None and since.system == system and since.rankings_version is not None:
        sites = published.state(RANKINGS).changed_sites(lake.state(RANKINGS, since.rankings_version))
        kept = [ExportedFile(**file) for file in since.files if file["site"] not in sites]
        served = served.where(F.col("site").isin(*sites))
    # Several tasks write large sites to several files; a query's candidates are in one file.
    by_query = ["site", "task", "query_id"]
    rows = served.repartitionByRange(*by_query).sortWithinPartitions(*by_query, "rank")

    def write(file_format: str) -> None:
        target = lake.path(folder, file_format)
        write_plain_files(rows, target, lake.storage, file_format=file_format, partition_by=["site"])

    run_concurrently(write, (PARQUET, JSON_LINES))
    files = in_order([*kept, *exported_files(lake, folder)])
    require_every_row(files, served_rows, record.run_id)
    manifest = {
        "run_id": record.run_id,
        "published_at": record.recorded_at.isoformat(),
        "system": system,
        "rankings_version": record.table_versions[RANKINGS.name],
        "files": [asdict(file) for file in files],
    }
    lake.lease.renew()
    lake.objects.put(MANIFEST, json.dumps(manifest, indent=2).encode())
    return lake.path(MANIFEST)


def served_system(published: Snapshot) -> str:
    """The system named in the settings of the published run, or else the only one with rankings.

    Raises:
        InputError: the settings name none, and the run has rankings of none or several.
    """
    settings = yaml.safe_load(published.record.config) or {}
    if settings.get("system"):
        return str(settings["system"])
    ranked = sorted(row["system"] for row in published.read(RANKINGS).select("system").distinct().collect())
    if len(ranked) != 1:
        raise InputError(
            f"{len(ranked)} systems rank in run {published.record.run_id}; its settings do not name one",
            f"name one: --system, of {', '.join(ranked)}" if ranked else "publish a run with rankings",
        )
    return str(ranked[0])


def _rows_of(published: Snapshot, system: str) -> dict[str, int]:
    """The number of rows that a system ranked, by site.

    Raises:
        InputError: the run has rankings, but none of this system.
    """
    counts = published.read(RANKINGS).groupBy("system", "site").count().collect()
    ranked = sorted({row["system"] for row in counts})
    if ranked and system not in ranked:
        raise InputError(
            f"run {published.record.run_id} has no rankings by {system}", f"name one: --system, of {', '.join(ranked)}"
        )
    return {row["site"]: row["count"] for row in counts if row["system"] == system}
