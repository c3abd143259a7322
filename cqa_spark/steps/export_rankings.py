"""The rankings of a run by one system → files for serving, and a manifest that names them.

Spark tasks write the files, one site each, and return what is in them. CSV follows RFC 4180: every text is quoted, a
quote in it is doubled, and line ends stay as they are; a missing value is empty and without quotes. JSON lines leave
missing values out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Protocol, TextIO
from uuid import uuid4

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import yaml
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cqa_spark.errors import ContractError, CqaError, InputError
from cqa_spark.lake.done import done_findings, not_done
from cqa_spark.lake.schemas.community import POSTS
from cqa_spark.lake.schemas.findings import FINDINGS
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.lake.writing import deliver, folder_to_write
from cqa_spark.object_store.locations import require_writable
from cqa_spark.settings.nightly import ExportFormat
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import runs
from cqa_spark.spark.internals import to_arrow_schema
from cqa_spark.steps.attribution import ATTRIBUTION, attributions
from cqa_spark.steps.export_manifest import MANIFEST, UNFINISHED, ExportedFile, ExportManifest, ExportTarget
from cqa_spark.task_contract.contract import TASKS, task

_DESCRIBED = T.StructType(
    [
        T.StructField("path", T.StringType()),
        T.StructField("site", T.StringType()),
        T.StructField("rows", T.LongType()),
        T.StructField("bytes", T.LongType()),
        T.StructField("sha256", T.StringType()),
    ]
)

_ESCAPED = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
"""Characters that Spark and Hive escape in the names of partition folders."""


def export_rankings(
    snapshot: Snapshot,
    system: str,
    folder: str,
    target: ExportTarget,
    file_format: ExportFormat,
    *,
    publication: int,
    alone: bool = False,
) -> None:
    """Write the rankings that a night serves, with a system or a simple order; outside nights, the system's.

    Each export writes a folder of its own below ``folder``, with one folder per site. The manifest is replaced
    atomically when the files hold all rows. The files that the replaced manifest named stay, for readers that have them
    open, until the next export.

    Args:
        snapshot: the tables of the run.
        system: the system of the run, which the manifest names; a row names the one whose order it is.
        folder: output folder, local or in a bucket.
        target: the same folder, opened before the run was read.
        file_format: of the files.
        publication: number of the run's publication in the run log.
        alone: write all rankings of the system, served or not, and no others.

    Raises:
        InputError: the run has rankings, but none of these.
        EnvironmentProblem: the folder cannot be written.
        ContractError: rows are missing from the files; the manifest is unchanged.
        AnotherWriter: an export of a later publication was faster; its manifest stays.
    """
    served, served_rows = served_rankings(snapshot, system, alone=alone)
    require_writable(folder, snapshot.lake.storage)
    # Several tasks write large sites to several files; a query's candidates are in one file.
    by_query = ["site", "task", "query_id"]
    rows = served.repartitionByRange(*by_query).sortWithinPartitions(*by_query, "rank")
    _export(snapshot, rows, served_rows, system, folder, target, file_format, publication)


def served_rankings(snapshot: Snapshot, system: str, *, alone: bool = False) -> tuple[DataFrame, Mapping[str, int]]:
    """The rankings that a night serves, with titles, addresses and attribution; and their numbers of rows, by site.

    Args:
        snapshot: the tables of the run.
        system: the system of the run.
        alone: all rankings of the system, served or not, and no others.

    Raises:
        InputError: the run has rankings, but none of these.
    """
    ranked = snapshot.read(RANKINGS)  # starts Spark, without which there are no expressions
    of_system = F.col("system") == system
    chosen = of_system if alone else F.coalesce("served", of_system)
    rows_by_site = _rows_by_site(snapshot, system, chosen)
    rows = ranked.where(chosen).drop("run_id", "split", "served")
    return _with_posts(snapshot, rows), rows_by_site


def export_findings(
    snapshot: Snapshot, folder: str, target: ExportTarget, file_format: ExportFormat, *, publication: int
) -> None:
    """Write the findings of a run that nobody has marked as done, with addresses, as ``export_rankings`` does.

    Args:
        snapshot: the tables of the run.
        folder: output folder, local or in a bucket.
        target: the same folder, opened before the run was read.
        file_format: of the files.
        publication: number of the run's publication in the run log.

    Raises:
        InputError: the run has no table of findings.
        EnvironmentProblem, ContractError, AnotherWriter: as for ``export_rankings``.
    """
    rows, numbers = open_findings(snapshot)
    require_writable(folder, snapshot.lake.storage)
    in_order = rows.repartition("site").sortWithinPartitions(
        "site", "kind", F.col("score").desc(), "post_id", "other_id"
    )
    _export(snapshot, in_order, numbers, FINDINGS.name, folder, target, file_format, publication)


def open_findings(snapshot: Snapshot) -> tuple[DataFrame, Mapping[str, int]]:
    """The findings of a run that nobody has marked as done, with addresses; and their numbers of rows, by site.

    Raises:
        InputError: the run has no table of findings.
    """
    if not snapshot.has(FINDINGS):
        raise InputError(
            f"run {snapshot.record.run_id} has no findings", "name a run of cqa nightly on dumps of a site"
        )
    findings = not_done(snapshot.read(FINDINGS), done_findings(snapshot.lake.objects))
    posts = snapshot.read(POSTS).select("site", "post_id", "post_type", "subject")
    titles = posts.select("site", F.col("post_id").alias("thread_id"), F.col("subject").alias("title"))
    rows = findings.join(titles, on=["site", "thread_id"], how="left")
    for name in ("post", "other"):
        path = F.concat(F.when(F.col("post_type") == "answer", "/a/").otherwise("/q/"), "post_id")
        address = F.concat(F.lit("https://"), "site", path).alias(f"{name}_address")
        of_posts = posts.select("site", F.col("post_id").alias(f"{name}_id"), address)
        rows = rows.join(of_posts, on=["site", f"{name}_id"], how="left")
    return rows, {row["site"]: row["count"] for row in findings.groupBy("site").count().collect()}


def _export(
    snapshot: Snapshot,
    rows: DataFrame,
    rows_by_site: Mapping[str, int],
    system: str,
    folder: str,
    target: ExportTarget,
    file_format: ExportFormat,
    publication: int,
) -> None:
    """Write rows to files of their own, and let the manifest name these if they are complete."""
    record, storage = snapshot.record, snapshot.lake.storage
    of_export = f"{record.run_id}-{uuid4().hex[:8]}"
    try:
        target.begin(of_export, publication)
        files = write_ranking_files(rows, folder, of_export, storage, file_format)
        complete = frozenset(file.path for file in files)
        target.delete(of_export, but=complete | {f"{of_export}/{UNFINISHED}"})  # files of repeated tasks
        require_every_row(files, rows_by_site, record.run_id)
    except BaseException:
        with suppress(CqaError):
            target.delete(of_export)
        raise
    target.replace(
        ExportManifest(
            run_id=record.run_id,
            publication=publication,
            recorded_at=record.recorded_at.isoformat(),
            system=system,
            format=file_format,
            folder=of_export,
            files=tuple(files),
        )
    )


def served_system(snapshot: Snapshot) -> str:
    """The system named in the settings of a run, or else the only one with rankings.

    Raises:
        InputError: the settings name none, and the run has rankings of none or several.
    """
    settings = yaml.safe_load(snapshot.record.config) or {}
    if settings.get("system"):
        return str(settings["system"])
    ranked = sorted(row["system"] for row in snapshot.read(RANKINGS).select("system").distinct().collect())
    if len(ranked) != 1:
        raise InputError(
            f"{len(ranked)} systems rank in run {snapshot.record.run_id}; its settings do not name one",
            f"name one: --system, of {', '.join(ranked)}" if ranked else "name a run with rankings",
        )
    return str(ranked[0])


def require_every_row(files: Iterable[ExportedFile], served: Mapping[str, int], run_id: str) -> None:
    """Check that the files contain all served rows of each site.

    Args:
        files: of an export.
        served: number of served rows, by site.
        run_id: the run.

    Raises:
        ContractError: they do not; names the first site that differs.
    """
    exported: Counter[str] = Counter()
    for file in files:
        exported[file.site] += file.rows
    for site in sorted(served.keys() | exported.keys()):
        if exported[site] != served.get(site, 0):
            raise ContractError(
                f"the export of run {run_id} is incomplete: {exported[site]} of {served.get(site, 0)} rows of site "
                f"{site!r}",
                f"run cqa export again; until then {MANIFEST} names the previous files",
            )


def _rows_by_site(snapshot: Snapshot, system: str, chosen: Column) -> dict[str, int]:
    """The number of chosen rows, by site.

    Raises:
        InputError: the run has rankings, but none of these.
    """
    counts = snapshot.read(RANKINGS).groupBy("system", "site").agg(F.count_if(chosen).alias("rows")).collect()
    ranked = sorted({row["system"] for row in counts})
    rows_by_site: Counter[str] = Counter()
    for row in counts:
        rows_by_site[row["site"]] += row["rows"]
    if ranked and not rows_by_site.total():
        raise InputError(
            f"run {snapshot.record.run_id} has no rankings by {system}", f"name one: --system, of {', '.join(ranked)}"
        )
    return {site: rows for site, rows in rows_by_site.items() if rows}


def _with_posts(snapshot: Snapshot, rankings: DataFrame) -> DataFrame:
    """The rankings with the title of the query, and the attribution of title and candidate; null where unknown."""
    tasks = [task(name) for name in TASKS.names()]
    addresses = [F.when(F.col("task") == known.name, F.expr(known.address)) for known in tasks if known.address]
    addressed = rankings.withColumn("address", F.coalesce(*addresses))
    signature = ["author", "licence", "title", "title_author", "title_address", "title_licence"]
    if not snapshot.has(POSTS):
        return addressed.withColumns({name: F.lit(None).cast("string") for name in signature})
    attributed = attributions(snapshot)
    questions = snapshot.read(POSTS).where("subject IS NOT NULL")
    titles = questions.select("site", F.col("post_id").alias("query_id"), F.col("subject").alias("title"))
    of_titles = attributed.select(
        "site",
        F.col("document_id").alias("query_id"),
        *(F.col(name).alias(f"title_{name}") for name in ATTRIBUTION.names),
    )
    of_candidates = attributed.select("site", F.col("document_id").alias("candidate_id"), "author", "licence")
    signed = addressed.join(of_candidates, on=["site", "candidate_id"], how="left")
    return signed.join(titles.join(of_titles, on=["site", "query_id"], how="left"), on=["site", "query_id"], how="left")


def write_ranking_files(
    rows: DataFrame, root: str, folder: str, storage: ObjectStorageSettings, file_format: ExportFormat
) -> list[ExportedFile]:
    """Write rows to ``folder/site=SITE/part-*``, in one job; return the files, in order of their paths.

    A task that is repeated leaves files that are not returned.

    Args:
        rows: with a column ``site``, by which they are sorted within partitions; the files keep their order.
        root: output folder, local or in a bucket.
        folder: folder within it, for this export alone.
        storage: object storage settings.
        file_format: of the files.
    """
    write = partial(write_partition, f"{root}/{folder}", storage, file_format)
    described = rows.mapInArrow(write, _DESCRIBED).collect()
    files = [ExportedFile(**{**row.asDict(), "path": f"{folder}/{row.path}"}) for row in described]
    return sorted(files, key=lambda file: file.path)


def write_partition(
    folder: str,
    storage: ObjectStorageSettings,
    file_format: ExportFormat,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """Write the rows of a task, a file for each site, and describe the files.

    Args:
        folder: of the export.
        storage: object storage settings.
        file_format: of the files.
        batches: the rows, sorted by site.
    """
    files = []
    with folder_to_write(folder) as here:
        for site, parts in groupby(_parts(batches), key=itemgetter(0)):
            name, rows = f"part-{uuid4().hex}.{file_format}", 0
            unfinished = here / f"{name}.unfinished"
            _, first = next(parts)
            with _WRITERS[file_format](unfinished, first.schema) as writer:
                for part in chain([first], (part for _, part in parts)):
                    writer.write_batch(part)
                    rows += part.num_rows
            with unfinished.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = unfinished.stat().st_size
            path = f"site={_ESCAPED.sub(lambda match: f'%{ord(match[0]):02X}', site)}/{name}"
            deliver(unfinished, folder, path, storage)
            files.append({"path": path, "site": site, "rows": rows, "bytes": size, "sha256": digest})
    if files:
        yield pa.RecordBatch.from_pylist(files, to_arrow_schema(_DESCRIBED))


def _parts(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows without their site, in batches of one site each."""
    for batch in batches:
        for site, rows in runs(batch, "site"):
            yield site, rows.drop_columns(["site"])


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...


@contextmanager
def _json_lines(path: Path, schema: pa.Schema) -> Iterator[_Writer]:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        yield _JsonLines(stream)


@dataclass(frozen=True)
class _JsonLines:
    """Writes an object a line, like the writers of pyarrow."""

    stream: TextIO

    def write_batch(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            present = {name: value for name, value in row.items() if value is not None}
            self.stream.write(json.dumps(present, ensure_ascii=False) + "\n")


_WRITERS: Mapping[ExportFormat, Callable[[Path, pa.Schema], AbstractContextManager[_Writer]]] = {
    "parquet": pq.ParquetWriter,
    "jsonl": _json_lines,
    "csv": pyarrow.csv.CSVWriter,
}
