"""Compares training and evaluation on a standalone cluster of two workers with other libraries.

    .venv/bin/python bench/scale.py training --rows 500000 --features 100
    .venv/bin/python bench/scale.py training --rows 4000000 --features 200
    .venv/bin/python bench/scale.py measures --queries 1000000

The cluster is a master and two workers of one core and 3 GB on loopback. Peers read the same Parquet file: XGBoost's
estimator for Spark and Spark ML on the cluster, XGBoost and scikit-learn in one process with two threads. Memory is
that of a worker's process tree; shared pages count once. Processor seconds, of all workers together, are nearly the
same on a busy machine.

The benchmark of measures first writes judgments and rankings to Parquet files, untimed. Timed are the reading of these
files with the writing of every measure of each query, and the intervals and tests, which read what was written.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from measuring import add_figure, peak_memory, processor_seconds
from pyarrow.dataset import dataset
from pyarrow.parquet import ParquetWriter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.spark import query_metrics
from cqa_spark.evaluation.statistics.summary import summarise
from cqa_spark.rankers.linear import LinearModel
from cqa_spark.rankers.registry import build_ranker
from cqa_spark.spark.session import spark_session

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "integration"))

from standalone import Cluster, standalone_cluster

CANDIDATES = 10
FILES = 16
PIECE = 50_000
"""Rows in memory at once."""
PARTITIONS = (1, 2, 7)
TREES = {"depth": 6, "learning_rate": 0.1}
L2 = 0.001
MEASURES = ("MAP@10", "AvgRec@10", "MRR@10", "P@1", "nDCG@10", "Precision", "Recall", "F1", "Accuracy")
SYSTEMS = {"first": 20, "second": 30, "third": 31}
"""By name, the share of queries whose relevant candidate is certainly first, in percent."""
SHUFFLE_PARTITIONS = 8


def main() -> None:
    """Run one of the benchmarks; print each figure as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("training", "measures"))
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers to compare")
    parser.add_argument("--queries", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cqa-scale-") as name:
        folder = Path(name)
        os.environ["SPARK_LOCAL_DIRS"] = str(folder / "scratch")
        with standalone_cluster(folder, 2, memory="3g", java={}) as cluster:
            if options.what == "training":
                training(cluster, folder, options)
            else:
                with session(cluster) as spark:
                    measures(spark, cluster, folder, options.queries)


@contextmanager
def session(cluster: Cluster) -> Iterator[SparkSession]:
    """A session on the cluster; an executor has Spark's default of 1 GB, the rest of a worker is for Python."""
    spark = spark_session("scale", master=cluster.url, partitions=SHUFFLE_PARTITIONS)
    try:
        yield spark
    finally:
        spark.stop()


def training(cluster: Cluster, folder: Path, options: argparse.Namespace) -> None:
    """Boosted trees and logistic regression by some workers, by estimators for Spark, and in one process."""
    path, processes = str(folder / "rows.parquet"), [worker.pid for worker in cluster.workers]
    write_rows(path, options.rows, options.features)
    print(f"{options.rows:,} rows, {options.features} features, {options.trees} trees")
    parameters = {"boosted_trees": TREES | {"trees": options.trees}, "logistic_regression": {"l2": L2}}
    peers = {
        "boosted_trees": ("xgboost", grow, "xgboost.spark", grow_by_spark),
        "logistic_regression": ("scikit-learn", regress, "Spark ML", regress_by_spark),
    }
    for name, (library, alone, estimator, distributed) in peers.items():
        with session(cluster) as spark:
            for workers in options.workers:
                ranker = build_ranker(name, {**parameters[name], "workers": workers})
                ours = timed_warm(processes, ranker.fit, spark.read.parquet(path))
                report(f"{name}, workers: {workers}", *ours)
        # In workers of its own: ours have imported XGBoost without scikit-learn, which XGBoost's estimators need.
        with session(cluster) as spark:
            fit = partial(distributed, parameters=parameters[name])
            report(f"{estimator}, 2 workers", *timed_warm(processes, fit, spark.read.parquet(path)))
        with get_context("spawn").Pool(1) as pool:
            theirs = timed([pool.apply(os.getpid)], pool.apply, alone, (path, parameters[name]))[1:]
        report(f"{library}, 2 threads", *theirs)
        measure = f"{name}, {options.rows:,} rows, {options.features} features"
        add_figure(measure, float(ours[1]), float(theirs[1]), "s on processors", library)
    with session(cluster) as spark:
        compare(spark.read.parquet(path))


def timed_warm(processes: Sequence[int], fit: Callable[[DataFrame], Any], frame: DataFrame) -> tuple[str, str, str]:
    """What training takes, as ``timed``, when Java has compiled it for a tenth of the rows."""
    fit(a_tenth(frame))
    return timed(processes, fit, frame)[1:]


def a_tenth(frame: DataFrame) -> DataFrame:
    """The rows of a tenth of the queries."""
    return frame.where(F.pmod(F.xxhash64("query_id"), F.lit(10)) == 0)


def compare(frame: DataFrame) -> None:
    """Compare regressions of a tenth of the rows in any partitions, and by one and two workers."""
    some = a_tenth(frame)
    weights = []
    for workers in (1, 2):
        ranker = build_ranker("logistic_regression", {"l2": L2, "workers": workers})
        models = [ranker.fit(some.repartition(number)) for number in PARTITIONS]
        learned = [model.learned for model in models if isinstance(model, LinearModel)]
        print(f"bit-equal for {PARTITIONS} partitions, workers: {workers}:", learned == learned[:1] * len(PARTITIONS))
        weights.append(np.array([*learned[0].coefficients, learned[0].intercept]))
    print(f"greatest difference of a standardised coefficient by two workers: {abs(weights[0] - weights[1]).max():.1g}")


def write_rows(path: str, rows: int, features: int) -> None:
    """Write invented examples, whose label depends on a fifth of the features and noise, in files of equal size."""
    Path(path).mkdir()
    with get_context("spawn").Pool(2) as processes:
        processes.starmap(write_file, [(path, file, rows, features) for file in range(FILES)])


def write_file(path: str, file: int, rows: int, features: int) -> None:
    """Write one of the files, in pieces of bounded memory."""
    first, end = file * rows // FILES, (file + 1) * rows // FILES
    random = np.random.default_rng(file)
    names = [f"bench__{number:03d}" for number in range(features)]
    keys = [("task", pa.string()), ("site", pa.string()), ("query_id", pa.string()), ("candidate_id", pa.string())]
    schema = pa.schema([*keys, ("relevant", pa.bool_()), *[(name, pa.float64()) for name in names]])
    with ParquetWriter(Path(path) / f"{file}.parquet", schema) as writer:
        for start in range(first, end, PIECE):
            numbers = np.arange(start, min(start + PIECE, end))
            values = random.normal(size=(features, len(numbers))).round(2)
            score = values[: features // 5].sum(axis=0) / np.sqrt(features / 5) + random.normal(size=len(numbers))
            columns = [
                pa.array(np.full(len(numbers), "question_answer")), pa.array(np.full(len(numbers), "bench")),
                pa.array(numbers // CANDIDATES).cast(pa.string()), pa.array(numbers).cast(pa.string()),
                pa.array(score > 1), *values,
            ]  # fmt: skip
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def timed(processes: Sequence[int], do: Callable[..., Any], *arguments: Any) -> tuple[Any, str, str, str]:
    """What a function returns, its seconds, and the processor seconds and peak memory of processes that work for it."""
    with peak_memory(*processes) as peak:
        began, before = time.perf_counter(), sum(map(processor_seconds, processes))
        found = do(*arguments)
        seconds, processor = time.perf_counter() - began, sum(map(processor_seconds, processes)) - before
    return found, f"{seconds:.1f}", f"{processor:.1f}", ", ".join(f"{each / 1e9:.2f} GB" for each in peak)


def report(name: str, seconds: str, processor: str, peak: str) -> None:
    """Print what something took."""
    print(f"{name:34} {seconds:>8} s {processor:>8} s on processors    peak {peak}", flush=True)


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    """The features as 32-bit floats, and the labels."""
    files = dataset(path)
    names = [name for name in files.schema.names if name.startswith("bench__")]
    values, labels = np.empty((files.count_rows(), len(names)), np.float32), np.empty(files.count_rows(), np.bool_)
    start = 0
    for batch in files.to_batches(columns=[*names, "relevant"]):
        end = start + len(batch)
        for place, name in enumerate(names):
            values[start:end, place] = batch[name].to_numpy()
        labels[start:end] = batch["relevant"].to_numpy(zero_copy_only=False)
        start = end
    return values, labels


def grow(path: str, parameters: Mapping[str, Any]) -> None:
    """The same trees by xgboost alone."""
    import xgboost

    values, labels = read(path)
    known = {"objective": "binary:logistic", "tree_method": "hist", "nthread": 2, "max_depth": parameters["depth"]}
    known |= {"learning_rate": parameters["learning_rate"], "subsample": 0.8, "colsample_bytree": 0.5}
    xgboost.train(known, xgboost.QuantileDMatrix(values, labels), parameters["trees"])


def regress(path: str, parameters: Mapping[str, Any]) -> None:
    """The same regression by scikit-learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    values, labels = read(path)
    scaled = StandardScaler(copy=False).fit_transform(values)
    LogisticRegression(C=1 / (parameters["l2"] * len(labels)), max_iter=100).fit(scaled, labels)


def grow_by_spark(frame: DataFrame, parameters: Mapping[str, Any]) -> None:
    """The same trees by XGBoost's estimator for Spark, in two tasks."""
    from xgboost.spark import SparkXGBClassifier

    features = [name for name in frame.columns if name.startswith("bench__")]
    known = {"tree_method": "hist", "max_depth": parameters["depth"], "learning_rate": parameters["learning_rate"]}
    known |= {"subsample": 0.8, "colsample_bytree": 0.5, "n_estimators": parameters["trees"]}
    labelled = frame.select(*features, F.col("relevant").cast("int").alias("label"))
    SparkXGBClassifier(features_col=features, label_col="label", num_workers=2, verbose=False, **known).fit(labelled)


def regress_by_spark(frame: DataFrame, parameters: Mapping[str, Any]) -> None:
    """The same regression by Spark ML."""
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    features = [name for name in frame.columns if name.startswith("bench__")]
    labelled = frame.select(*features, F.col("relevant").cast("int").alias("label"))
    rows = VectorAssembler(inputCols=features, outputCol="features").transform(labelled).select("features", "label")
    LogisticRegression(regParam=parameters["l2"], maxIter=100).fit(rows)


def measures(spark: SparkSession, cluster: Cluster, folder: Path, queries: int) -> None:
    """Measures of three systems with intervals and tests."""
    examples, rankings, path = (str(folder / f"{name}.parquet") for name in ("examples", "rankings", "query_metrics"))
    pairs = invented_pairs(spark, queries)
    judgments(pairs).write.parquet(examples)
    reduce(DataFrame.unionByName, (ranking(pairs, *each) for each in SYSTEMS.items())).write.parquet(rankings)
    processes, parsed = [worker.pid for worker in cluster.workers], [parse_measure(name) for name in MEASURES]
    measured = query_metrics(spark.read.parquet(rankings), spark.read.parquet(examples), parsed)
    print(f"{queries:,} queries, {CANDIDATES} candidates, {len(SYSTEMS)} systems")
    _, *spent = timed(processes, measured.write.parquet, path)
    report(f"{len(MEASURES)} measures of each query", *spent)
    summary, *spent = timed(processes, summarise, spark.read.parquet(path), "first")
    report("intervals and tests", *spent)
    for entry in summary.metrics[:3]:
        print(f"{entry['system']} {entry['measure']} {entry['value']:.4f} [{entry['low']:.4f}, {entry['high']:.4f}]")


def invented_pairs(spark: SparkSession, queries: int) -> DataFrame:
    """The candidates of each query, one of them relevant."""
    by_query = spark.range(0, queries, 1, FILES).select(
        F.lit("question_answer").alias("task"), F.lit("test").alias("split"), F.lit("bench").alias("site"),
        F.col("id").cast("string").alias("query_id"), F.pmod(F.xxhash64("id"), F.lit(CANDIDATES)).alias("best"),
    )  # fmt: skip
    candidates = F.explode(F.sequence(F.lit(0), F.lit(CANDIDATES - 1))).alias("candidate")
    return by_query.select("*", candidates).withColumn("candidate_id", F.col("candidate").cast("string"))


def judgments(pairs: DataFrame) -> DataFrame:
    """The pairs with their labels."""
    relevant = F.col("candidate") == F.col("best")
    return pairs.select(
        "task", "split", "site", "query_id", F.col("query_id").alias("fold_key"), "candidate_id",
        relevant.alias("relevant"),
        relevant.cast("int").alias("label"), F.lit(None).cast("double").alias("similarity"),
    )  # fmt: skip


def ranking(pairs: DataFrame, system: str, share: int) -> DataFrame:
    """The pairs, ranked by a system that puts the relevant one first for a share of the queries, in percent."""
    drawn = F.xxhash64("query_id", F.lit(system))
    shift = F.when(F.pmod(drawn, F.lit(100)) < share, -F.col("best")).otherwise(F.shiftright(drawn, 8))
    rank = (F.pmod(F.col("candidate") + shift, F.lit(CANDIDATES)) + 1).cast("int")
    return pairs.select(
        F.lit(system).alias("system"), "task", "split", "site", "query_id", "candidate_id",
        rank.alias("rank"), (-rank).cast("double").alias("score"), (rank <= 2).alias("predicted"),
    )  # fmt: skip


if __name__ == "__main__":
    main()
