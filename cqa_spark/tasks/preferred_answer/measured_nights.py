"""Replayed nights with the hits of all orders: of trained systems, and of simple orders that are not served."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from cqa_spark.evaluation.night_worth import Nights, expected_hits
from cqa_spark.features.query_sample import sample_queries
from cqa_spark.rankers.candidates import Candidates
from cqa_spark.rankers.feature_contract import feature_columns
from cqa_spark.rankers.scoring import candidates_of, whole_queries, with_values

Reals = NDArray[np.float64]
Score = Callable[[Candidates], Reals]
"""The score of each candidate."""

_VOTES = "answer_votes_asof_v1"
UP, DOWN, NET = (f"{_VOTES}__{column}" for column in ("up_votes", "down_votes", "score"))

FEATURES = (UP, DOWN, NET)
"""The features that the simple orders and the bands of votes need."""

SIMPLE_ORDERS: Mapping[str, Score] = {
    "votes": lambda candidates: candidates.of([NET])[:, 0],
    "oldest": lambda candidates: -candidates.examples["initial_rank"].to_numpy().astype(np.float64),
    "random": lambda candidates: np.zeros(len(candidates)),
}
"""By name; higher scores are better, and equal scores are ties."""

_MOST = 1_000_000
"""Answers of nights that orders are measured on; of more, whole nights are sampled."""

_NIGHT = "site string, thread_id string, age_days int, votes double, hits array<double>"


def measured_nights(frame: DataFrame, scores: Mapping[str, Score], rows: int) -> Nights:
    """The hits of orders on measured nights, computed in tasks, and collected as one row per night.

    Args:
        frame: the answers of measured nights, with the ``FEATURES`` and those that the scores need.
        scores: the orders, by name.
        rows: number of rows of the frame, about.
    """
    features = feature_columns(frame)
    answers = with_values(sample_queries(frame, _MOST, rows), features).drop(*features)
    found = whole_queries(answers).mapInArrow(_measuring(scores, features), _NIGHT).toPandas()
    found = found.sort_values(["site", "thread_id", "age_days"], ignore_index=True)
    hits = np.array(found["hits"].tolist()).reshape(-1, len(scores))
    return Nights(
        site=found["site"].to_numpy(),
        thread=np.asarray(found.groupby(["site", "thread_id"]).ngroup(), dtype=np.int64),
        age=found["age_days"].to_numpy(np.int64),
        votes=found["votes"].to_numpy(np.int64),
        hits=dict(zip(scores, hits.T, strict=True)),
    )


def _measuring(
    scores: Mapping[str, Score], features: tuple[str, ...]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def measure(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for candidates in candidates_of(batches, features, whole=True):
            yield hits_of(candidates, scores)

    return measure


def hits_of(candidates: Candidates, scores: Mapping[str, Score]) -> pa.RecordBatch:
    """One row per night: site, thread, age, votes for its answers, and the expected hit of each order.

    Args:
        candidates: complete queries, sorted by query, with the ``FEATURES``.
        scores: the orders, by name.
    """
    starts, examples = candidates.starts, candidates.examples
    accepted = examples["accepted"].to_numpy(zero_copy_only=False).astype(np.bool_)
    hits = np.column_stack([expected_hits(score(candidates), accepted, starts) for score in scores.values()])
    first = examples.take(pa.array(starts)).combine_chunks()
    votes = np.add.reduceat(candidates.of([UP, DOWN]).sum(axis=1), starts)
    columns = [
        *(first[name].combine_chunks() for name in ("site", "thread_id", "age_days")),
        pa.array(votes),
        pa.array(list(hits), pa.list_(pa.float64())),
    ]
    return pa.RecordBatch.from_arrays(columns, ["site", "thread_id", "age_days", "votes", "hits"])
