"""Training examples in an order that does not depend on how the input was partitioned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.errors import ConfigError, ContractError, InputError
from cqa_spark.rankers.feature_contract import bad_features, feature_columns
from cqa_spark.rankers.model import TrainingCounts


@dataclass(frozen=True)
class TrainingRows:
    """Examples to learn from.

    Attributes:
        frame: the input's columns, ``target`` (double) and ``query_number`` (int from 1, the query's place by key);
            cached, one partition per worker, sorted by query and candidate within it.
        features: feature columns, in order.
        counts: what was kept and what was left out.
    """

    frame: DataFrame
    features: tuple[str, ...]
    counts: TrainingCounts


@contextmanager
def training_rows(frame: DataFrame, *, target: str, workers: int = 1) -> Iterator[TrainingRows]:
    """Keep the labelled examples and put them in order, until the block ends.

    Spark ML and XGBoost add floating-point numbers up in the order of rows and partitions: only a fixed order gives
    the same model for every partitioning of the input. A query's candidates are never split over workers.

    Args:
        frame: training examples with features.
        target: the column to learn, ``relevant`` or ``label``; rows where it or ``relevant`` is null are left out.
        workers: number of partitions.

    Raises:
        InputError: no labelled example, or none that is relevant, or none that is not.
        ContractError: there are no features, or one is not a number somewhere.
        ConfigError: more workers than can have a query each.
    """
    features = feature_columns(frame)
    if not features:
        raise ContractError("there are no features to learn from", "name feature groups in the system's file")
    placed = _in_order(frame, target, workers).cache()
    try:
        counts = _checked_counts(placed, features, given=frame.count())
        _require_busy_workers(placed, workers, counts.queries)
        yield TrainingRows(placed, features, counts)
    finally:
        placed.unpersist()


def _in_order(frame: DataFrame, target: str, workers: int) -> DataFrame:
    """One partition per worker, sorted; cached by the caller.

    Without the cache, a later sort by query alone (XGBoost's) would let the optimizer drop this sort, and with it the
    order of the candidates within a query.
    """
    labelled = frame.where(F.col("relevant").isNotNull() & F.col(target).isNotNull())
    queries = labelled.select("site", "query_id").distinct()
    number = F.row_number().over(Window.orderBy("site", "query_id")).alias("query_number")
    numbered = labelled.join(queries.select("*", number), on=["site", "query_id"], how="inner")
    with_target = numbered.withColumn("target", F.col(target).cast("double"))
    return with_target.repartition(workers, "query_number").sortWithinPartitions("query_number", "candidate_id")


def _checked_counts(rows: DataFrame, features: tuple[str, ...], *, given: int) -> TrainingCounts:
    counted = rows.agg(
        F.coalesce(F.max("query_number"), F.lit(0)).alias("queries"),
        F.count("*").alias("rows"),
        F.count_if("relevant").alias("relevant"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_set(bad_features(features))))).alias("bad"),
    ).first()
    assert counted is not None  # an aggregate without groups has one row
    _require_numbers(counted["bad"])
    counts = TrainingCounts(
        queries=counted["queries"],
        rows=counted["rows"],
        relevant=counted["relevant"],
        unlabelled=given - counted["rows"],
    )
    _require_both_classes(counts)
    return counts


def _require_numbers(bad: list[str]) -> None:
    if bad:
        raise ContractError(
            f"features that are null, NaN or infinite in the training examples: {', '.join(bad)}",
            "let the feature group declare a value for missing data",
        )


def _require_both_classes(counts: TrainingCounts) -> None:
    if counts.rows == 0:
        problem = f"none of the {counts.unlabelled} training examples has a label"
    elif counts.relevant == 0:
        problem = f"none of the {counts.rows} labelled training examples is relevant"
    elif counts.relevant == counts.rows:
        problem = f"all {counts.rows} labelled training examples are relevant"
    else:
        return
    raise InputError(problem, "give training files that hold both relevant and other candidates, with their labels")


def _require_busy_workers(rows: DataFrame, workers: int, queries: int) -> None:
    busy = rows.select(F.spark_partition_id()).distinct().count() if workers > 1 else 1
    if busy < workers:
        raise ConfigError(
            f"{queries} training queries keep {busy} of {workers} training workers busy, and an idle one stops XGBoost",
            f"set the ranker's workers to {busy} or fewer",
        )
