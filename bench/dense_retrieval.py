"""Exact search by embeddings beside an index of nearest neighbours (usearch), in one process and one run.

    python bench/dense_retrieval.py [QUESTIONS]     (default 20,000; needs: pip install usearch)

Vectors are invented: 384 components around 500 centres, rounded as in the table ``embeddings``. Both answer the same
queries with 50 candidates each, on one thread; speeds are per second of CPU time. The index cannot leave out later
questions for each query, so it searches all of them; ours is measured with and without later ones. Recall is that of
the index against the exact nearest of all questions.
"""

import sys
import time

import numpy as np
import pyarrow as pa
from measuring import add_figure
from threadpoolctl import threadpool_limits
from usearch.index import Index

from cqa_spark.retrieval.dense import DenseIndex
from cqa_spark.retrieval.shard import QuestionTimes, as_integers, build_shard

DIMENSION, CENTRES, QUERIES, CANDIDATES = 384, 500, 500, 50


def main(number: int) -> None:
    """Print the table."""
    draw = np.random.default_rng(2017)
    centres = draw.normal(size=(CENTRES, DIMENSION))
    drawn = centres[draw.integers(0, CENTRES, number)] + draw.normal(size=(number, DIMENSION))
    vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).round(4).astype(np.float32)
    asked = draw.integers(number // 2, number, QUERIES)
    integers = as_integers(vectors)

    started = time.process_time()
    texts, times = pa.array([""] * number), pa.array(np.arange(number))
    index = DenseIndex(build_shard(pa.array([str(place) for place in range(number)]), times, texts, texts, integers))
    _row("ours, index", number / (time.process_time() - started), "questions/s")
    started = time.process_time()
    other = Index(ndim=DIMENSION, metric="cos")
    other.add(np.arange(number), vectors, threads=1)
    _row("usearch, index", number / (time.process_time() - started), "questions/s")

    started = time.process_time()
    index.search(integers[asked], QuestionTimes(asked, np.zeros(QUERIES, np.int64)), CANDIDATES)
    _row("ours, earlier questions", QUERIES / (time.process_time() - started), "queries/s")
    started = time.process_time()
    near = other.search(vectors[asked], CANDIDATES, threads=1).keys
    peer = _row("usearch, all questions", QUERIES / (time.process_time() - started), "queries/s")
    started = time.process_time()
    latest = QuestionTimes(np.full(QUERIES, number), np.zeros(QUERIES, np.int64))
    nearest = index.search(integers[asked], latest, CANDIDATES)
    ours = _row("ours, all questions", QUERIES / (time.process_time() - started), "queries/s")
    hits = sum(len(np.intersect1d(near[query], nearest.row[nearest.query == query])) for query in range(QUERIES))
    add_figure(f"exact search, {number:,} questions", ours, peer, "queries/s", "usearch, approximate")
    _row("usearch, recall", 100 * hits / len(nearest.row), "%")


def _row(name: str, value: float, unit: str) -> float:
    print(f"{name:<36}{value:>10,.1f} {unit}", flush=True)
    return value


if __name__ == "__main__":
    with threadpool_limits(1):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
