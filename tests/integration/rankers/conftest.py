"""A small task that can be learned: ``signal`` tells the relevant candidates, ``noise`` does not."""

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import EXAMPLES

Row = tuple[str, str, int, bool | None]


@pytest.fixture(scope="session")
def make_examples(spark: SparkSession) -> Callable[..., DataFrame]:
    """Examples from (query, candidate, initial rank, relevant)."""

    def make(rows: list[Row]) -> DataFrame:
        labels, similarities = {None: None, False: 0, True: 2}, {None: None, False: 0.0, True: 2.0}
        full = [
            ("s", "t", query, candidate, query, query, rank, labels[good], good, similarities[good], "train")
            for query, candidate, rank, good in rows
        ]
        columns = (
            "site string, task string, query_id string, candidate_id string, thread_id string, fold_key string, "
            "initial_rank int, label int, relevant boolean, similarity double, split string"
        )
        return EXAMPLES.complete(spark.createDataFrame(full, columns))

    return make


@pytest.fixture(scope="session")
def training(
    spark: SparkSession, make_examples: Callable[..., DataFrame], tmp_path_factory: pytest.TempPathFactory
) -> DataFrame:
    """40 queries of 5 candidates; the features follow from the candidate's key. Stored, so that it is made once."""
    rows = [(f"Q{q:02}", f"C{q:02}_{c}", c + 1, (q * 7 + c * 3) % 5 < 2) for q in range(40) for c in range(5)]
    noise = F.pmod(F.xxhash64("candidate_id"), F.lit(1000)) / 1000.0
    signal = F.when(F.col("relevant"), 1.0).otherwise(0.0) + 1.5 * noise
    other = F.pmod(F.xxhash64("candidate_id", F.lit(1)), F.lit(1000)) / 1000.0
    path = str(tmp_path_factory.mktemp("training") / "examples")
    made = make_examples(rows).select("*", signal.alias("g_v1__signal"), other.alias("g_v1__noise"))
    made.write.parquet(path)
    return spark.read.parquet(path)
