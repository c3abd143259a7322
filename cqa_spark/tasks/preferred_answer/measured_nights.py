"""Replayed nights with the hits of all orders: of trained systems, and of simple orders that are not served."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cqa_spark.evaluation.night_worth import Nights, expected_hits
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.lake.schemas.rankings import MEASURED_NIGHTS
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.scoring import candidates_of, whole_queries, with_values
from cqa_spark.spark.arrow_rows import learn_in_one_task

Reals = NDArray[np.float64]
Score = Callable[[Candidates], Reals]
"""The score of each candidate."""

_VOTES = "answer_votes_asof_v1"
UP, DOWN, NET = (f"{_VOTES}__{column}" for column in ("up_votes", "down_votes", "score"))

FEATURES = (UP, DOWN, NET)
"""The features that the simple orders and the bands of votes need."""

SIMPLE_ORDERS: Mapping[str, Score] = {
    "votes": lambda candidates: candidates.of([NET])[:, 0],
    "random": lambda candidates: np.zeros(len(candidates)),
}
"""By name; higher scores are better, and equal scores are ties."""

_MOST = 1_000_000
"""Answers of nights up to which all nights are in the task; of more, whole nights are sampled."""

_SCHEMA = to_arrow_schema(MEASURED_NIGHTS.schema)
_BY_NIGHT = ("site", "thread_id", "age_days")


def measured_nights(candidates: Candidates, scores: Mapping[str, Reals]) -> pa.Table:
    """Rows of ``MEASURED_NIGHTS``; none if the candidates lack the ``FEATURES``.

    Args:
        candidates: the answers of whole nights.
        scores: the scores of orders by name, beside those of the simple orders; shape (answers,).
    """
    if not {*FEATURES} <= {*candidates.features}:
        return _SCHEMA.empty_table()
    starts, examples = candidates.starts, candidates.examples
    accepted = examples["accepted"].to_numpy(zero_copy_only=False).astype(np.bool_)
    orders = {**scores, **{name: score(candidates) for name, score in SIMPLE_ORDERS.items()}}
    hits = [expected_hits(score, accepted, starts) for score in orders.values()]
    names = pa.array([*orders] * len(starts))
    by_order = pa.MapArray.from_arrays(
        np.arange(len(starts) + 1, dtype=np.int32) * len(orders), names, np.column_stack(hits).ravel()
    )
    votes = np.add.reduceat(candidates.of([UP, DOWN]).sum(axis=1), starts)
    found = examples.take(pa.array(starts))
    found = found.append_column("votes", pa.array(votes)).append_column("hits", by_order)
    return found.select(_SCHEMA.names).cast(_SCHEMA)


def measure_nights(frame: DataFrame, scores: Mapping[str, Score]) -> DataFrame:
    """Rows of ``MEASURED_NIGHTS``, from the answers of measured nights with their features.

    Args:
        frame: the answers, with the ``FEATURES`` and those that the scores need.
        scores: the orders, by name.
    """
    features = feature_columns(frame)
    answers = whole_queries(with_values(frame, features).drop(*features))

    def measure(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for candidates in candidates_of(batches, features, whole=True):
            found = {name: score(candidates) for name, score in scores.items()}
            yield from measured_nights(candidates, found).to_batches()

    return answers.mapInArrow(measure, MEASURED_NIGHTS.schema)


def from_all_nights(rows: DataFrame, orders: Sequence[str], answers: int, find: Callable[[Nights], Any]) -> Any:
    """What a function finds in all measured nights: they are in one task, and only what it finds is on the driver.

    Args:
        rows: of ``MEASURED_NIGHTS``.
        orders: names of the orders.
        answers: number of answers of the nights.
        find: the function; what it finds goes through JSON.
    """
    hits = [F.col("hits")[order].alias(f"hit_{number}") for number, order in enumerate(orders)]
    nights = sample_queries(rows, _MOST, answers).select(*_BY_NIGHT, "votes", *hits)
    schema = to_arrow_schema(nights.schema)

    def learn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = find(_nights(pa.Table.from_batches(batches, schema).to_pandas(), orders))
        yield pa.RecordBatch.from_pydict({"found": [json.dumps(found)]})

    (learned,) = learn_in_one_task(nights, _BY_NIGHT, learn, "found string")
    return json.loads(learned["found"])


def _nights(found: pd.DataFrame, orders: Sequence[str]) -> Nights:
    return Nights(
        site=found["site"].to_numpy(),
        thread=np.asarray(found.groupby(["site", "thread_id"]).ngroup(), dtype=np.int64),
        age=found["age_days"].to_numpy(np.int64),
        votes=found["votes"].to_numpy(np.int64),
        hits={order: found[f"hit_{number}"].to_numpy() for number, order in enumerate(orders)},
    )
