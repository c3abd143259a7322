"""rankings → the official prediction file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cqa_spark.evaluation.files.scores import write_scores
from cqa_spark.evaluation.files.semeval import OfficialRow, write_official
from cqa_spark.evaluation.files.trec import separated
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import StepRecord
from cqa_spark.lake.schemas.rankings import RANKINGS
from cqa_spark.object_store.locations import local_target
from cqa_spark.runtime.flow import Artifact, Product, Step
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.task_contract.contract import numbers_in
from cqa_spark.task_contract.contract import task as task_of


@dataclass(frozen=True)
class WritePredictions(Step):
    """Write the rankings of one system in the official format.

    Attributes:
        path: file to write, local or in a bucket.
        system: name of the system.
        task: its task, which has a format.
        split: split whose queries are written; None for all.
    """

    path: str
    system: str
    task: str
    split: str | None = None

    name = "predictions"

    def reads(self) -> tuple[Product, ...]:
        """The rankings."""
        return (RANKINGS,)

    @property
    def _artifact(self) -> Artifact:
        return Artifact(f"predictions/{self.system}")

    def writes(self) -> tuple[Product, ...]:
        """The file."""
        return (self._artifact,)

    def execute(self, run: Run, counts: StepRecord) -> None:
        """Write the file."""
        rankings = run.read(RANKINGS).where(F.col("system") == self.system)
        if self.split is not None:
            rankings = rankings.where(F.col("split") == self.split)
        counts.rows_in = counts.rows_out = write_predictions(rankings, self.path, self.task, run.lake.storage)
        run.add_artifact(self._artifact.name, self.path)


def write_predictions(rankings: DataFrame, path: str, task: str, storage: ObjectStorageSettings) -> int:
    """Write one system's ranking in the official format, ordered by query and candidate as in the official files.

    Tied scores are separated by rank, so that scorers rank as the system did. The driver fetches one partition at a
    time, because the file may exceed its memory.

    Args:
        rankings: rows of ``RANKINGS``, of one system.
        path: file to write, local or in a bucket.
        task: their task.
        storage: object storage settings.

    Returns:
        The number of rows.
    """
    query, candidate = (numbers_in("query_id"), "query_id"), (numbers_in("candidate_id"), "candidate_id")
    ordered = rankings.orderBy("site", *query, *candidate)
    rows = ordered.select("site", "query_id", "candidate_id", "score", "rank", "predicted").toLocalIterator()
    with local_target(path, storage) as file:
        if task_of(task).grades_pairs:  # in the order of the input: ids of pairs contain their line numbers
            return write_scores(file, (row["score"] for row in rows))
        return write_official(file, official_rows(rows, task_of(task).query_prefix))


def official_rows(rows: Iterable[Row], query_prefix: str = "") -> Iterator[OfficialRow]:
    """Rows of an official file, with tied scores separated by rank.

    Args:
        rows: site, query_id, candidate_id, score, rank and predicted; the rows of each query together.
        query_prefix: what the ids of queries begin with, but not in official files.
    """
    for _, query in groupby(rows, key=itemgetter("site", "query_id")):
        candidates = list(query)
        score_of_rank = {row["rank"]: row["score"] for row in candidates}
        ranks = sorted(score_of_rank)
        scores = dict(zip(ranks, separated([score_of_rank[rank] for rank in ranks], "double"), strict=True))
        for row in candidates:
            yield OfficialRow(
                row["query_id"].removeprefix(query_prefix), row["candidate_id"], scores[row["rank"]], row["predicted"]
            )
