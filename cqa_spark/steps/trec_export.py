"""The rankings of a run → TREC runs, and its judgments → qrels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.evaluation.trec_files import QrelsRow, RunRow, write_qrels, write_run
from cqa_spark.lake.publishing import Snapshot
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.tasks.registry import task as task_of
from cqa_spark.tasks.sts import Sts


def write_trec(snapshot: Snapshot, folder: Path, *, system: str | None = None, split: str | None = None) -> list[Path]:
    """Write ``SYSTEM.TASK.SPLIT.run`` for every ranking of a run, and ``TASK.SPLIT.qrels`` for its judgments.

    A gain of at least 1 means relevant: it is the grade minus the task's lowest relevant grade, plus 1. If the run has
    several sites, queries are named ``SITE/QUERY``. The driver fetches one partition of rows at a time.

    Args:
        snapshot: the tables of the run.
        folder: existing folder of the files.
        system: system whose rankings are written; None for all.
        split: split whose queries are written; None for all.

    Returns:
        The files.

    Raises:
        InputError: the run has no such ranking, or an id contains a blank, which TREC files do not allow.
    """
    rankings = snapshot.read(RANKINGS)
    rankings = rankings if system is None else rankings.where(F.col("system") == system)
    rankings = (rankings if split is None else rankings.where(F.col("split") == split)).where(F.col("task") != Sts.name)
    written = sorted(tuple(row) for row in rankings.select("task", "split", "system").distinct().collect())
    if not written:
        raise InputError(
            f"run {snapshot.record.run_id} has no such rankings",
            "omit --system and --split to write all; scores of sentence pairs have no TREC format",
        )
    query = _query_name(rankings)
    files = []
    for task, part, name in written:
        of_system = rankings.where((F.col("task") == task) & (F.col("split") == part) & (F.col("system") == name))
        files.append(folder / f"{name}.{task}.{part}.run")
        write_run(files[-1], _run_rows(of_system.withColumn("query", query)))
    for task, part in dict.fromkeys((task, part) for task, part, _ in written):
        judged = snapshot.read(EXAMPLES).where((F.col("task") == task) & (F.col("split") == part))
        judged = judged.where(F.col("label").isNotNull()).withColumn("query", query)
        if not judged.isEmpty():
            files.append(folder / f"{task}.{part}.qrels")
            write_qrels(files[-1], _qrels_rows(judged, task_of(task).relevant_from))
    return files


def _query_name(rankings: DataFrame) -> Column:
    sites = rankings.select("site").distinct().limit(2).count()
    return F.col("query_id") if sites == 1 else F.concat_ws("/", "site", "query_id")


def _run_rows(rankings: DataFrame) -> Iterator[RunRow]:
    rows = rankings.orderBy("query", "rank").select("query", "candidate_id", "rank", "score", "system")
    return (RunRow(*row) for row in rows.toLocalIterator())


def _qrels_rows(judged: DataFrame, relevant_from: int) -> Iterator[QrelsRow]:
    gain = F.greatest(F.lit(0), F.col("label") - F.lit(relevant_from - 1))
    rows = judged.orderBy("query", "candidate_id").select("query", "candidate_id", gain.alias("gain"))
    return (QrelsRow(*row) for row in rows.toLocalIterator())
