"""The rankings of a run → TREC runs, and its judgments → qrels."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.errors import InputError
from cqa_spark.evaluation.files.trec import QrelsRow, RunRow, write_qrels, write_run
from cqa_spark.lake.schemas.examples import EXAMPLES, IS_MEASURED
from cqa_spark.lake.schemas.metrics import NIGHTS
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS, RANKINGS
from cqa_spark.lake.snapshot import Snapshot
from cqa_spark.task_contract.contract import task as task_of


class ExportedQrels(NamedTuple):
    """A file of judgments, and how to evaluate runs with it so that the measures are those of the report.

    Attributes:
        path: the file.
        relevance_level: lowest grade that the task counts as relevant.
        is_partial: whether candidates of the split have no judgment; the report leaves them out.
    """

    path: Path
    relevance_level: int
    is_partial: bool


class TrecFiles(NamedTuple):
    """The files of an export.

    Attributes:
        runs: a run for each system, task and split.
        qrels: judgments for each task and split that has some.
    """

    runs: list[Path]
    qrels: list[ExportedQrels]


def write_trec(snapshot: Snapshot, folder: Path, *, system: str | None = None, split: str | None = None) -> TrecFiles:
    """Write ``SYSTEM.TASK.SPLIT.run`` for every ranking of a run, and ``TASK.SPLIT.qrels`` for its judgments.

    Replayed nights, which a nightly run measures, are the split ``NIGHTS``.

    Grades are those of the examples. Tied scores are written such that every reader ranks as the run did. If the run
    has several sites, queries are named ``SITE/QUERY``. The driver fetches one partition of rows at a time.

    Args:
        snapshot: the tables of the run.
        folder: existing folder of the files.
        system: system whose rankings are written; None for all.
        split: split whose queries are written; None for all.

    Raises:
        InputError: the run has no such ranking, or an id contains a blank, which TREC files do not allow.
    """
    rankings = _rankings(snapshot)
    rankings = rankings if system is None else rankings.where(F.col("system") == system)
    rankings = rankings if split is None else rankings.where(F.col("split") == split)
    present = sorted(tuple(row) for row in rankings.select("task", "split", "system").distinct().collect())
    exported = [(task, part, name) for task, part, name in present if not task_of(task).grades_pairs]
    if not exported:
        if system is None and split is None and not present:
            raise InputError(f"run {snapshot.record.run_id} has no rankings", "name a run that ranks: --run-id")
        raise InputError(
            f"run {snapshot.record.run_id} has no such rankings",
            "omit --system and --split to write all; scores of single pairs have no TREC format",
        )
    query = _query_name(rankings)
    runs = []
    for task, part, name in exported:
        of_system = rankings.where((F.col("task") == task) & (F.col("split") == part) & (F.col("system") == name))
        runs.append(folder / f"{name}.{task}.{part}.run")
        write_run(runs[-1], _run_rows(of_system.withColumn("query", query)))
    qrels = []
    for task, part in dict.fromkeys((task, part) for task, part, _ in exported):
        examples = _examples(snapshot).where((F.col("task") == task) & (F.col("split") == part))
        candidates, judged = examples.agg(F.count("*"), F.count("label")).first() or (0, 0)
        if judged:
            path = folder / f"{task}.{part}.qrels"
            write_qrels(path, _qrels_rows(examples.withColumn("query", query)))
            qrels.append(ExportedQrels(path, task_of(task).relevant_from, judged < candidates))
    return TrecFiles(runs, qrels)


def _rankings(snapshot: Snapshot) -> DataFrame:
    rankings = snapshot.read(RANKINGS)
    if not snapshot.has(NIGHT_RANKINGS):
        return rankings
    return rankings.unionByName(snapshot.read(NIGHT_RANKINGS), allowMissingColumns=True)


def _examples(snapshot: Snapshot) -> DataFrame:
    split = F.when(F.expr(IS_MEASURED), NIGHTS).otherwise(F.col("split"))
    return snapshot.read(EXAMPLES).withColumn("split", split)


def _query_name(rankings: DataFrame) -> Column:
    sites = rankings.select("site").distinct().limit(2).count()
    return F.col("query_id") if sites == 1 else F.concat_ws("/", "site", "query_id")


def _run_rows(rankings: DataFrame) -> Iterator[RunRow]:
    rows = rankings.orderBy("query", "rank").select("query", "candidate_id", "rank", "score", "system")
    return (RunRow(*row) for row in rows.toLocalIterator())


def _qrels_rows(examples: DataFrame) -> Iterator[QrelsRow]:
    judged = examples.where(F.col("label").isNotNull()).orderBy("query", "candidate_id")
    return (QrelsRow(*row) for row in judged.select("query", "candidate_id", "label").toLocalIterator())
