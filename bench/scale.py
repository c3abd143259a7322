"""What grows with the cluster: training and measuring on a standalone cluster of two workers, beside one process.

    .venv/bin/python bench/scale.py training --rows 500000 --features 100
    .venv/bin/python bench/scale.py training --rows 4000000 --features 200
    .venv/bin/python bench/scale.py measures --queries 1000000

The cluster is a master and two workers of one core and 3 GB on loopback. Peers read the same Parquet file in one
process with two threads. Memory is that of a worker with all of its processes, shared pages counted once.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from memory import peak_memory
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console
from rich.table import Table

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.rankings import query_metrics
from cqa_spark.evaluation.summary import summarise
from cqa_spark.rankers.model import RankerModel
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.spark.session import spark_session

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "integration"))

from standalone import Cluster, standalone_cluster

CANDIDATES = 10
TREES = {"trees": 100, "depth": 6, "learning_rate": 0.1}
MEASURES = ("MAP@10", "AvgRec@10", "MRR@10", "P@1", "nDCG@10", "Precision", "Recall", "F1", "Accuracy")
SETTINGS = {
    "spark.executor.memory": "1000m",  # of 3 GB; the rest is for Python
    "spark.sql.shuffle.partitions": "8",
    "spark.cores.max": "2",
}


def main() -> None:
    """Run one of the benchmarks and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("training", "measures"))
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--queries", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cqa-scale-") as name:
        folder = Path(name)
        with standalone_cluster(folder, 2, memory="3g") as cluster, session(cluster, folder) as spark:
            if options.what == "training":
                training(spark, cluster, folder, options.rows, options.features)
            else:
                measures(spark, cluster, folder, options.queries)


@contextmanager
def session(cluster: Cluster, folder: Path) -> Iterator[SparkSession]:
    """A session on the cluster."""
    builder = SparkSession.builder
    for name, value in (SETTINGS | {"spark.local.dir": str(folder / "scratch")}).items():
        builder = builder.config(name, value)
    spark = spark_session("scale", master=cluster.url)
    try:
        yield spark
    finally:
        spark.stop()


def training(spark: SparkSession, cluster: Cluster, folder: Path, rows: int, features: int) -> None:
    """Boosted trees and logistic regression by one and two workers, and by xgboost and scikit-learn."""
    path = str(folder / "rows.parquet")
    invented_rows(spark, rows, features).write.parquet(path)
    frame = spark.read.parquet(path)
    found = Table("", "seconds", "peak memory", title=f"{rows:,} rows, {features} features")
    models: dict[tuple[str, int], RankerModel] = {}
    for name, parameters in (("boosted_trees", TREES), ("logistic_regression", {"l2": 0.001})):
        for workers in (1, 2):
            ranker = build_ranker(name, {**parameters, "workers": workers})
            models[name, workers], seconds, peak = timed(lambda ranker=ranker: ranker.fit(frame), cluster)
            found.add_row(f"{name}, {workers} workers", f"{seconds:.1f}", peak)
    for name, peer in (("xgboost, 2 threads", grow), ("scikit-learn", regress)):
        _, seconds, peak = timed(lambda peer=peer: peer(path))
        found.add_row(name, f"{seconds:.1f}", peak)
    Console().print(found)
    one, two = (models["logistic_regression", workers].learned for workers in (1, 2))
    print("logistic regression by one and two workers is bit-equal:", one == two)


def invented_rows(spark: SparkSession, rows: int, features: int) -> DataFrame:
    """Examples whose label follows from a fifth of the features and noise."""
    names = [f"bench__{number:03d}" for number in range(features)]
    declared = ", ".join(f"{name} double" for name in names)

    def draw(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = batch["id"].to_numpy()
            random = np.random.default_rng(int(numbers[0]))
            values = random.normal(size=(len(numbers), features)).round(2)
            score = values[:, : features // 5].sum(axis=1) / np.sqrt(features / 5) + random.normal(size=len(numbers))
            query = numbers // CANDIDATES
            yield pa.RecordBatch.from_pydict(
                {
                    "site": pa.array(np.full(len(numbers), "bench")),
                    "query_id": pa.array(query).cast(pa.string()),
                    "candidate_id": pa.array(numbers).cast(pa.string()),
                    "relevant": score > 1,
                    **dict(zip(names, values.T, strict=True)),
                }
            )

    keys = "site string, query_id string, candidate_id string, relevant boolean"
    return spark.range(0, rows, 1, 16).mapInArrow(draw, f"{keys}, {declared}")


def timed(do: Callable[[], Any], cluster: Cluster | None = None) -> tuple[Any, float, str]:
    """What a function returns, its seconds, and the peak memory of each worker, or of this process."""
    watched = [worker.pid for worker in cluster.workers] if cluster else []
    with peak_memory(*watched) as peak:
        began = time.perf_counter()
        found = do()
        seconds = time.perf_counter() - began
    return found, seconds, ", ".join(f"{each / 1e9:.2f} GB" for each in peak)


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    """The features as 32-bit floats, and the labels."""
    table = pq.read_table(path)
    names = [name for name in table.column_names if name.startswith("bench__")]
    values = np.empty((table.num_rows, len(names)), dtype=np.float32)
    for place, name in enumerate(names):
        values[:, place] = table[name].to_numpy()
    return values, table["relevant"].to_numpy()


def grow(path: str) -> None:
    """The same trees by xgboost alone."""
    import xgboost

    values, labels = read(path)
    parameters = {"objective": "binary:logistic", "tree_method": "hist", "nthread": 2, "subsample": 0.8}
    parameters |= {"max_depth": TREES["depth"], "learning_rate": TREES["learning_rate"], "colsample_bytree": 0.5}
    xgboost.train(parameters, xgboost.QuantileDMatrix(values, labels), TREES["trees"])


def regress(path: str) -> None:
    """The same regression by scikit-learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    values, labels = read(path)
    scaled = StandardScaler(copy=False).fit_transform(values)
    LogisticRegression(C=1 / (0.001 * len(labels)), max_iter=100).fit(scaled, labels)


def measures(spark: SparkSession, cluster: Cluster, folder: Path, queries: int) -> None:
    """Measures of three systems with intervals and tests."""
    path = str(folder / "query_metrics.parquet")
    parsed = [parse_measure(name) for name in MEASURES]
    measured = query_metrics(*invented_rankings(spark, queries), parsed)
    found = Table("", "seconds", "peak memory", title=f"{queries:,} queries, {CANDIDATES} candidates, 3 systems")
    _, seconds, peak = timed(lambda: measured.write.parquet(path), cluster)
    found.add_row(f"{len(MEASURES)} measures of each query", f"{seconds:.1f}", peak)
    summary, seconds, peak = timed(lambda: summarise(spark.read.parquet(path), "first"), cluster)
    found.add_row("intervals and tests", f"{seconds:.1f}", peak)
    Console().print(found)
    for entry in summary.metrics[:3]:
        print(f"{entry['system']} {entry['measure']} {entry['value']:.4f} [{entry['low']:.4f}, {entry['high']:.4f}]")


def invented_rankings(spark: SparkSession, queries: int) -> tuple[DataFrame, DataFrame]:
    """Rankings of three systems, which put the relevant candidate first more or less often, and the examples."""
    by_query = spark.range(0, queries, 1, 16).select(
        F.lit("question_answer").alias("task"), F.lit("test").alias("split"), F.lit("bench").alias("site"),
        F.col("id").cast("string").alias("query_id"), F.pmod(F.xxhash64("id"), F.lit(CANDIDATES)).alias("best"),
    )  # fmt: skip
    candidates = F.explode(F.sequence(F.lit(0), F.lit(CANDIDATES - 1))).alias("candidate")
    pairs = by_query.select("*", candidates).withColumn("candidate_id", F.col("candidate").cast("string"))
    relevant = F.col("candidate") == F.col("best")
    examples = pairs.select(
        "task", "split", "site", "query_id", "candidate_id", relevant.alias("relevant"),
        relevant.cast("int").alias("label"), F.lit(None).cast("double").alias("similarity"),
    )  # fmt: skip
    shares = (("first", 20), ("second", 30), ("third", 31))
    named = [F.struct(F.lit(name).alias("system"), F.lit(share).alias("share")) for name, share in shares]
    systems = F.explode(F.array(*named)).alias("s")
    drawn = F.xxhash64("query_id", F.col("s.system"))
    is_first = F.pmod(drawn, F.lit(100)) < F.col("s.share")
    shift = F.when(is_first, -F.col("best")).otherwise(F.shiftright(drawn, 8))
    rank = (F.pmod(F.col("candidate") + shift, F.lit(CANDIDATES)) + 1).cast("int")
    rankings = pairs.select("*", systems).select(
        F.col("s.system").alias("system"), "task", "split", "site", "query_id", "candidate_id",
        rank.alias("rank"), (-rank).cast("double").alias("score"), (rank <= 2).alias("predicted"),
    )  # fmt: skip
    return rankings, examples


if __name__ == "__main__":
    main()
