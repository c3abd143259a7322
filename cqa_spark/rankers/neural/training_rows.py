"""Training examples of a network, in an order that does not depend on the partitioning."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import QUERY
from cqa_spark.rankers.feature_contract import bad_features, feature_columns
from cqa_spark.rankers.model import TrainingCounts
from cqa_spark.rankers.training.requirements import features_to_learn_from, require_both_classes, require_numbers
from cqa_spark.spark.persistence import persisted


@dataclass(frozen=True)
class TrainingRows:
    """Training examples.

    Attributes:
        frame: the input's columns; persisted, in one partition, sorted by query and candidate.
        features: feature columns, in order.
        counts: size of the training data.
    """

    frame: DataFrame
    features: tuple[str, ...]
    counts: TrainingCounts


@contextmanager
def training_rows(frame: DataFrame, *, needs_features: bool = True) -> Iterator[TrainingRows]:
    """Select and sort the labelled examples; they are persisted until the block ends.

    Gradient steps depend on the order of the examples, so only a fixed order makes the model independent of the
    partitioning.

    Args:
        frame: training examples with features; rows where ``relevant`` is null are excluded.
        needs_features: False for rankers that use texts, which also train without features.

    Raises:
        InputError: there are no labelled examples, or only one class.
        ContractError: there are no features, or a value is not a number.
    """
    features = features_to_learn_from(frame) if needs_features else feature_columns(frame)
    labelled = frame.where(F.col("relevant").isNotNull())
    with persisted(labelled.repartition(1).sortWithinPartitions(*QUERY, "candidate_id")) as (placed,):
        yield TrainingRows(placed, features, _checked_counts(placed, features, given=frame.count()))


def _checked_counts(rows: DataFrame, features: tuple[str, ...], *, given: int) -> TrainingCounts:
    counted = rows.agg(
        F.count_distinct(*QUERY).alias("queries"),
        F.count("*").alias("rows"),
        F.count_if("relevant").alias("relevant"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_set(bad_features(features))))).alias("bad"),
    ).first()
    assert counted is not None  # an aggregate without groups has one row
    require_numbers(counted["bad"])
    counts = TrainingCounts(
        queries=counted["queries"],
        rows=counted["rows"],
        relevant=counted["relevant"],
        unlabelled=given - counted["rows"],
    )
    require_both_classes(counts)
    return counts
