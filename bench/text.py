"""Measures text analysis and feature computation, how the time grows, and compares features with plain Python.

    .venv/bin/python bench/text.py
    .venv/bin/python bench/text.py --comments 1250 5000 20000 --families similarity quality dialogue author

The input is generated threads of ten comments; each size runs in a separate process. It reads dumps, analyses texts,
encodes them with the models that the feature groups use, fits the groups and computes them for every comment. The clock
of a stage runs from the end of the previous stage until its table is written. The peer computes comparable features on
the same analysed texts in one process, with scikit-learn and NLTK-style Python. On the smallest size, its values are
compared with ours. Peak memory is that of a size's process tree, as measured by measuring.py.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

import pandas as pd
from measuring import add_figure, in_own_process, peak_memory
from plain_text_features import PEERS, plain_features
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console
from rich.table import Table

from cqa_spark.features.group import FeatureGroup, PassKey, QueryGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_pass import compute_pass, fit_groups
from cqa_spark.features.registry import group_class, known_groups
from cqa_spark.features.training_data import learned_texts
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.spark.session import spark_session
from cqa_spark.synth.qatar_living import write_sample
from cqa_spark.task_contract.contract import task
from cqa_spark.tasks.formats import QatarLiving
from cqa_spark.text.analysers.analyser import analyse
from cqa_spark.text.documents import distinct_texts, documents
from cqa_spark.text.encoders.encoder import embed, ship
from cqa_spark.text.encoders.model import EmbeddingModel

COMMENTS_EACH = 10
TABLES = ("examples", "posts", "comments", "documents", "texts")
PLAIN = "in plain Python"
BEFORE_FEATURES = ("read and pair", "analyse texts", "encode texts")


def main() -> None:
    """Measure every size and print a table."""
    arguments = _arguments()
    if arguments.size:
        print(json.dumps(_measure(arguments.size, arguments)))
        return
    results = {size: _in_own_process(size, arguments) for size in arguments.comments}
    Console(width=120).print(_table(results))
    for result in results.values():
        if PLAIN in result:
            features = sum(result[stage] for stage in ("learn for the query pass", "query pass"))
            measure = f"all text features ({len(PEERS)} by the peer), {result['comments']:,.0f} comments"
            add_figure(measure, features, result[PLAIN], "s", "scikit-learn and plain Python")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comments", nargs="+", type=int, default=[1250, 5000, 20000], help="sizes, smallest first")
    parser.add_argument("--families", nargs="+", default=["similarity", "quality", "dialogue", "author"])
    parser.add_argument("--models", nargs="*", default=["bge_small_en"], help="groups of other models are left out")
    parser.add_argument("--no-peer", action="store_true", help="skip plain Python")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--heap", default="2g", help="of the one Java process")
    parser.add_argument("--folds", type=int, default=5, help="number of folds for groups that learn from labels")
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_own_process(size: int, arguments: argparse.Namespace) -> dict[str, float]:
    options = ["--cores", str(arguments.cores), "--heap", arguments.heap, "--folds", str(arguments.folds)]
    options += ["--families", *arguments.families, "--models", *arguments.models]
    options += ["--no-peer"] if arguments.no_peer else []
    options += ["--comments", str(min(arguments.comments))]
    return in_own_process(__file__, "--size", str(size), *options)


def _measure(size: int, arguments: argparse.Namespace) -> dict[str, float]:
    """Seconds by stage and other results of one size."""
    found: dict[str, float] = {}
    wanted = [each for each in map(group_class, known_groups()) if each.family in arguments.families]
    # Groups that train networks need an extra that is not there by default.
    groups = [each for each in wanted if set(_models(each)) <= set(arguments.models) and each.extra != "neural"]
    with tempfile.TemporaryDirectory(prefix="cqa-bench-") as folder, peak_memory() as peak:
        spark = spark_session(
            "bench", master=f"local[{arguments.cores}]", partitions=arguments.cores, driver_memory=arguments.heap
        )
        dump = write_sample(Path(folder) / "dump", threads=size // COMMENTS_EACH, dev_threads=10, seed=1).train
        with _timed(found, "read and pair"):
            _read(spark, dump, folder)
        with _timed(found, "analyse texts"):
            posts, comments = _stored(spark, folder, "posts"), _stored(spark, folder, "comments")
            documents(posts, comments).write.parquet(f"{folder}/documents")
            analyse(distinct_texts(posts, comments)).write.parquet(f"{folder}/texts")
        with _timed(found, "encode texts"):
            models = [
                EmbeddingModel.read(name) for name in sorted({model for group in groups for model in _models(group)})
            ]
            for model in models:
                ship(spark, model)
                embed(_stored(spark, folder, "texts"), model).write.mode("append").parquet(f"{folder}/embeddings")
        examples, posts, comments, documented, texts = (_stored(spark, folder, name).persist() for name in TABLES)
        inputs = FeatureInputs(
            examples, posts, comments, documented, texts,
            embeddings=_stored(spark, folder, "embeddings") if models else None,
        )  # fmt: skip
        with _timed(found, "learn for the query pass"):
            fitted = fit_groups(
                [each for each in groups if each.pass_key is PassKey.QUERY], inputs, folds=arguments.folds
            )
        with _timed(found, "query pass"):
            compute_pass(fitted, inputs, arguments.folds).write.parquet(f"{folder}/query_features")
        found["comments"] = inputs.examples.count()
        found["peak"] = peak[0]
        if not arguments.no_peer:
            _against_plain_python(spark, inputs, folder, found, check=size == min(arguments.comments))
        spark.stop()
    return found


def _models(group: type[FeatureGroup]) -> tuple[str, ...]:
    return group.embeddings if issubclass(group, QueryGroup) else ()


def _read(spark: SparkSession, dump: Path, folder: str) -> None:
    files = QatarLiving({"train": [str(dump)]}, "bench.example.org", ObjectStorageSettings())
    with persistence_scope():
        community = files.read(spark)
        for name in ("posts", "comments", "judgments"):
            getattr(community, name).write.parquet(f"{folder}/{name}")
    posts, comments, judgments = (_stored(spark, folder, name) for name in ("posts", "comments", "judgments"))
    task("question_comment").build(posts, comments, judgments).write.parquet(f"{folder}/examples")


def _stored(spark: SparkSession, folder: str, table: str) -> DataFrame:
    return spark.read.parquet(f"{folder}/{table}")


def _pairs(inputs: FeatureInputs) -> DataFrame:
    """The analysed texts of every pair, for plain Python."""
    sides = {"query": "query_id", "candidate": "candidate_id"}
    pairs = inputs.examples.select("site", *sides.values())
    for side, document in sides.items():
        text = F.struct("text_id", "stems", "words", F.lower("clean").alias("letters")).alias(side)
        named = inputs.documents.select("site", F.col("document_id").alias(document), "text_id")
        found = pairs.join(named, on=["site", document]).join(inputs.texts, on="text_id")
        pairs = found.select(*pairs.columns, text)
    return pairs.orderBy("query_id", "candidate_id")


def _ours(spark: SparkSession, folder: str) -> pd.DataFrame:
    """Our values of the features that plain Python computes."""
    columns = [F.col(f"{group}.{name}").alias(f"{group}__{name}") for group, name in PEERS]
    values = _stored(spark, folder, "query_features").select("query_id", "candidate_id", *columns)
    return values.orderBy("query_id", "candidate_id").toPandas()


def _against_plain_python(
    spark: SparkSession, inputs: FeatureInputs, folder: str, found: dict[str, float], *, check: bool
) -> None:
    """Time plain Python, and check that its values equal ours."""
    collection = learned_texts(inputs).select("stems").toPandas()["stems"].tolist()
    pairs = _pairs(inputs).toPandas()
    with _timed(found, PLAIN):
        theirs = plain_features(collection, pairs["query"].tolist(), pairs["candidate"].tolist())
    if check:
        ours = _ours(spark, folder)
        for (group, name), values in theirs.items():
            difference = (ours[f"{group}__{name}"] - values).abs().max()
            assert difference < 1e-9, f"{group}__{name} differs by {difference}"


@contextmanager
def _timed(found: dict[str, float], stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    found[stage] = time.perf_counter() - started


def _table(results: dict[int, dict[str, float]]) -> Table:
    sizes = list(results)
    smallest = results[sizes[0]]
    table = Table(title="Seconds by stage")
    table.add_column("stage")
    for size in sizes:
        table.add_column(f"{results[size]['comments']:,.0f} comments", justify="right")
    table.add_column(f"growth over {results[sizes[-1]]['comments'] / smallest['comments']:.0f}x", justify="right")
    stages = [name for name in smallest if name not in ("comments", "peak", PLAIN)]
    features = [name for name in stages if name not in BEFORE_FEATURES]

    def add(label: str, seconds: Callable[[dict[str, float]], float]) -> None:
        figures = [seconds(results[size]) for size in sizes]
        table.add_row(label, *[f"{figure:.1f}" for figure in figures], f"{figures[-1] / figures[0]:.1f}x")

    for stage in stages:
        add(stage, itemgetter(stage))
    table.add_section()
    add("all feature groups", lambda result: sum(result[name] for name in features))
    add("all", lambda result: sum(result[name] for name in stages))
    add("all without encoding", lambda result: sum(result[name] for name in stages if name != "encode texts"))
    add("peak memory, GB", lambda result: result["peak"] / 1e9)
    if PLAIN in smallest:
        table.add_section()
        add(f"{len(PEERS)} features {PLAIN}", lambda result: result[PLAIN])
    return table


if __name__ == "__main__":
    main()
