"""``cqa export``, ``export database``, ``export dataset``, ``export trec``: the tables of a run → other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from cqa_spark.commands.jobs import Job
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.nightly import ExportFormat
from cqa_spark.settings.sections import JobSettings, ReadRunId, output_in_lake
from cqa_spark.settings.values import InputFile, NotHashed, OutputFolder, Positional, RunName, Shown, SystemName

if TYPE_CHECKING:
    from cqa_spark.lake.snapshot import Snapshot
    from cqa_spark.steps.export_database import DatabaseTarget
    from cqa_spark.steps.export_manifest import ExportTarget
    from cqa_spark.steps.export_trec import ExportedQrels


PUBLISHED = "published"
"""Names the published run, whichever it is."""


class ExportSettings(JobSettings):
    """Write the rankings of a run to files, for programs that serve them; a manifest names the files."""

    examples = (
        "cqa export published --lake build/lake --output build/rankings",
        "cqa export published --lake build/lake --output s3a://serving/rankings --format jsonl",
        "cqa export 20260101T000000Z-1234abcd --lake build/lake --output build/rankings --format csv --system best_a",
    )
    reading = ("{job.lake}: rankings of run {job.run}",)
    writing = ("{job.output}: a folder of {job.format} files, and manifest.json",)

    run: Annotated[RunName, NotHashed(), Positional(), Field(description="run to export, or: published")]
    output: Annotated[OutputFolder, NotHashed(), Field(description="folder of the files and of manifest.json")]
    format: Annotated[ExportFormat, Field(description="format of the files")] = "parquet"
    system: SystemName | None = Field(
        default=None, description="system to export; default: the system in the settings of the run"
    )

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(values, "output")


def export(settings: ExportSettings) -> None:
    """Write the files and print the path of their manifest.

    Raises:
        InputError: the output folder has the manifest of another program, or a later publication than the published
            one that was read; a run that is named is exported all the same.
    """
    from cqa_spark.object_store.locations import open_store
    from cqa_spark.steps.export_manifest import MANIFEST, ExportTarget
    from cqa_spark.steps.export_rankings import export_rankings, served_system

    folder = settings.output.rstrip("/")
    target = ExportTarget(open_store(folder, settings.object_storage))
    snapshot, publication = _exported(settings, settings.run, target)
    system = settings.system or served_system(snapshot)
    alone = settings.system is not None
    export_rankings(snapshot, system, folder, target, settings.format, publication=publication, alone=alone)
    Terminal().line(f"exported {snapshot.record.run_id}, rankings by {system}: {folder}/{MANIFEST}")


def _exported(settings: JobSettings, run: str, target: ExportTarget | DatabaseTarget) -> tuple[Snapshot, int]:
    """The run to export, and the number of its publication.

    Args:
        settings: of the job.
        run: its id, or ``PUBLISHED``.
        target: where the rows go; it may have a later publication than the published run that was read.
    """
    from cqa_spark.lake.run_log import RunLog
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.runtime.workspace import read_lake

    lake = read_lake(settings)
    snapshot = snapshot_of(lake, None if run == PUBLISHED else run)
    record, publication = snapshot.record, snapshot.record.sequence
    if run == PUBLISHED:
        target.refuse_older(record.run_id, publication)
    else:
        log = RunLog(lake.objects).listed("published")
        same_attempt = [entry for entry in log if (entry.run_id, entry.attempt) == (record.run_id, record.attempt)]
        publication = max([entry.sequence for entry in same_attempt], default=publication)
    return snapshot, publication


class ExportFindingsSettings(JobSettings):
    """Write the findings of a run to files, with the addresses of their posts; a manifest names the files."""

    examples = ("cqa export findings --lake build/lake --output build/findings --format csv",)
    reading = ("{job.lake}: findings of run {job.published_run}",)
    writing = ("{job.output}: a folder of {job.format} files, and manifest.json",)

    run_id: ReadRunId = None
    output: Annotated[OutputFolder, NotHashed(), Field(description="folder of the files and of manifest.json")]
    format: Annotated[ExportFormat, Field(description="format of the files")] = "parquet"

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(given, "output")


def export_findings(settings: ExportFindingsSettings) -> None:
    """Write the files and print the path of their manifest.

    Raises:
        InputError: as for ``export``, or the run has no findings.
    """
    from cqa_spark.object_store.locations import open_store
    from cqa_spark.steps.export_manifest import MANIFEST, ExportTarget
    from cqa_spark.steps.export_rankings import export_findings as write_findings

    folder = settings.output.rstrip("/")
    target = ExportTarget(open_store(folder, settings.object_storage))
    snapshot, publication = _exported(settings, settings.run_id or PUBLISHED, target)
    write_findings(snapshot, folder, target, settings.format, publication=publication)
    Terminal().line(f"exported {snapshot.record.run_id}, findings: {folder}/{MANIFEST}")


class ExportDatabaseSettings(JobSettings):
    """Write the served rankings and the findings of a run into tables of a Postgres database, in one transaction."""

    examples = (
        "cqa export database published --lake build/lake --database conf/databases/discourse.yaml",
        "cqa export database published --lake build/lake --database forum.yaml --namespace rankings",
    )
    reading = ("{job.lake}: rankings and findings of run {job.run}", "{job.database}: address and user")
    writing = ("the database: tables rankings, findings and delivered of the schema {job.namespace}",)

    run: Annotated[RunName, NotHashed(), Positional(), Field(description="run to deliver, or: published")]
    database: Annotated[
        InputFile, NotHashed(), Field(description="description of the database, such as conf/databases/discourse.yaml")
    ]
    namespace: Annotated[str, NotHashed(), Shown("NAME")] = Field(
        default="cqa",
        pattern=r"^[a-z_][a-z0-9_]{0,62}$",
        description="schema of the tables, created if it is absent",
    )
    system: SystemName | None = Field(
        default=None, description="system to deliver; default: the system in the settings of the run"
    )


def export_database(settings: ExportDatabaseSettings) -> None:
    """Bring the tables of the database up to date with the run.

    Raises:
        InputError: the database has a later publication than the published one that was read; a run that is named is
            delivered all the same.
    """
    from cqa_spark.settings.databases import read_database
    from cqa_spark.steps.export_database import DatabaseTarget
    from cqa_spark.steps.export_rankings import served_system

    target = DatabaseTarget(read_database(settings.database), settings.namespace)
    snapshot, publication = _exported(settings, settings.run, target)
    system = settings.system or served_system(snapshot)
    counts = target.deliver(snapshot, system, publication=publication, alone=settings.system is not None)
    for table, rows in counts.items():
        Terminal().line(f"{settings.namespace}.{table}: {rows:,} rows")
    Terminal().line(f"delivered {snapshot.record.run_id}, rankings by {system}")


class ExportDatasetSettings(JobSettings):
    """Write the examples, texts and rankings of a run as Parquet files, with a dataset card that describes them."""

    examples = ("cqa export dataset --lake build/lake build/dataset",)
    reading = ("{job.lake}: examples, texts and rankings of run {job.published_run}",)
    writing = ("{job.dataset}: TABLE/split=SPLIT/*.parquet, and README.md",)

    dataset: Annotated[OutputFolder, NotHashed(), Positional(), Field(description="output folder of the data set")]
    run_id: ReadRunId = None

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(values, "dataset")


def export_dataset(settings: ExportDatasetSettings) -> None:
    """Write the files of a run, the published one by default, and print the number of rows."""
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.runtime.workspace import read_lake
    from cqa_spark.steps.export_dataset import write_dataset

    rows = write_dataset(snapshot_of(read_lake(settings), settings.run_id), settings.dataset.rstrip("/"))
    for name, splits in rows.items():
        counts = ", ".join(f"{number:,} ({split})" for split, number in splits.items())
        Terminal().line(f"{settings.dataset}/{name}: {counts}")


class ExportTrecSettings(JobSettings):
    """Write the rankings of a run as TREC runs, and its judgments as qrels, which trec_eval and ir_measures read."""

    examples = (
        "cqa export trec --lake build/lake build/trec",
        "cqa export trec --lake build/lake --run-id mine --system best_a --split dev build/trec",
    )
    reading = ("{job.lake}: rankings and examples of run {job.published_run}",)
    writing = ("{job.trec}: SYSTEM.TASK.SPLIT.run and TASK.SPLIT.qrels",)

    trec: Annotated[OutputFolder, NotHashed(), Positional(), Field(description="output folder of the TREC files")]
    run_id: ReadRunId = None
    system: Annotated[SystemName | None, Field(description="system to export; default: all")] = None
    split: Annotated[str | None, Shown("NAME"), Field(description="split to export; default: all")] = None

    @classmethod
    def contradictions(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """An output in the lake."""
        return output_in_lake(values, "trec")


def export_trec(settings: ExportTrecSettings) -> None:
    """Write the files of a run, the published one by default."""
    from cqa_spark.lake.snapshot import snapshot_of
    from cqa_spark.object_store.locations import local_target, require_writable
    from cqa_spark.runtime.workspace import read_lake
    from cqa_spark.steps.export_trec import write_trec

    snapshot = snapshot_of(read_lake(settings), settings.run_id)
    require_writable(settings.trec, settings.object_storage)
    with local_target(settings.trec, settings.object_storage) as folder:
        folder.mkdir(parents=True, exist_ok=True)
        files = write_trec(snapshot, folder, system=settings.system, split=settings.split)
    for path in (*files.runs, *(qrels.path for qrels in files.qrels)):
        Terminal().line(f"{settings.trec}/{path.name}")
    for qrels in files.qrels:
        Terminal(stderr=True).line(f"as in the report: {_evaluation(qrels, f'{settings.trec}/{qrels.path.name}')}")


def _evaluation(qrels: ExportedQrels, location: str) -> str:
    """The commands that evaluate a run as the report does."""
    ours, theirs = f"--relevance-level {qrels.relevance_level}", f"-c -l {qrels.relevance_level}"
    if qrels.is_partial:
        ours, theirs = f"{ours} --judged-only", f"{theirs} -J"
    return f"cqa evaluate-file {location} RUN {ours}, or trec_eval {theirs} {location} RUN"


JOBS = (
    Job(
        "export",
        "write the rankings of a run to Parquet, JSON lines or CSV files",
        "single steps",
        ExportSettings,
        export,
        step=9,
    ),
    Job(
        "export findings",
        "write what somebody should look at to Parquet, JSON lines or CSV files",
        "single steps",
        ExportFindingsSettings,
        export_findings,
        step=9,
    ),
    Job(
        "export database",
        "write rankings and findings into tables of a Postgres database",
        "single steps",
        ExportDatabaseSettings,
        export_database,
        step=9,
    ),
    Job(
        "export dataset",
        "write examples, texts and rankings as Parquet files with a dataset card",
        "single steps",
        ExportDatasetSettings,
        export_dataset,
        step=9,
    ),
    Job(
        "export trec",
        "write rankings and judgments as TREC runs and qrels",
        "single steps",
        ExportTrecSettings,
        export_trec,
        step=9,
    ),
)
