"""``cqa export``, ``export dataset`` and ``export trec``: the tables of a run → files for other programs."""

from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.snapshot import snapshot_of
from cqa_spark.object_store.locations import local_target, open_store, require_writable
from cqa_spark.process.terminal import Terminal
from cqa_spark.runtime.workspace import read_lake
from cqa_spark.settings.nightly import ExportDatasetSettings, ExportSettings, ExportTrecSettings
from cqa_spark.steps.export_dataset import write_dataset
from cqa_spark.steps.export_manifest import MANIFEST, ExportTarget
from cqa_spark.steps.export_rankings import export_rankings, served_system
from cqa_spark.steps.export_trec import ExportedQrels, write_trec

PUBLISHED = "published"
"""Names the published run, whichever it is."""


def export(settings: ExportSettings) -> None:
    """Write the files and print the path of their manifest.

    Raises:
        InputError: the output folder has the manifest of another program, or a later publication than the published
            one that was read; a run that is named is exported all the same.
    """
    lake, folder = read_lake(settings), settings.output.rstrip("/")
    target = ExportTarget(open_store(folder, settings.object_storage))
    snapshot = snapshot_of(lake, None if settings.run == PUBLISHED else settings.run)
    record, publication = snapshot.record, snapshot.record.sequence
    if settings.run == PUBLISHED:
        target.refuse_older(record.run_id, publication)
    else:
        log = RunLog(lake.objects).listed("published")
        numbers = [each.sequence for each in log if (each.run_id, each.attempt) == (record.run_id, record.attempt)]
        publication = max(numbers, default=publication)
    system = settings.system or served_system(snapshot)
    alone = settings.system is not None
    export_rankings(snapshot, system, folder, target, settings.format, publication=publication, alone=alone)
    Terminal().line(f"exported {record.run_id}, rankings by {system}: {folder}/{MANIFEST}")


def export_dataset(settings: ExportDatasetSettings) -> None:
    """Write the files of a run, the published one by default, and print the number of rows."""
    rows = write_dataset(snapshot_of(read_lake(settings), settings.run_id), settings.dataset.rstrip("/"))
    for name, splits in rows.items():
        counts = ", ".join(f"{number:,} ({split})" for split, number in splits.items())
        Terminal().line(f"{settings.dataset}/{name}: {counts}")


def export_trec(settings: ExportTrecSettings) -> None:
    """Write the files of a run, the published one by default."""
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
