"""Compares the queries per second of our index with bm25s, in one process and one run.

    python bench/retrieval.py [QUESTIONS]     (default 100,000; needs: pip install bm25s)

Questions are invented: 60 words each, drawn by Zipf's law from 50,000. Both index the same words and answer the same
queries with 50 candidates each, on one thread; speeds are per second of CPU time. bm25s runs its fastest backend,
numba, on lists of words; with its own tokenizer and the stemmer of our index, it starts from texts as ours does. Ours
also leaves out later questions, which makes half of the work on average unnecessary; so it is measured with and without
that. A night adds a shard with 1 % of the questions.
"""

from __future__ import annotations

import resource
import sys
import time

import bm25s
import numpy as np
import pyarrow as pa
import Stemmer

from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.shard import Moments, build_shard

WORDS, LENGTH, QUERIES, CANDIDATES = 50_000, 60, 500, 50


def main(number: int) -> None:
    """Print the table."""
    draw = np.random.default_rng(2017)
    weights = np.cumsum(1 / np.arange(20, WORDS + 20))
    drawn = np.searchsorted(weights / weights[-1], draw.random((number, LENGTH)))
    words = np.array([f"w{place}x" for place in range(WORDS)], dtype=object)
    texts = pa.array([" ".join(row) for row in words[drawn]])
    asked = draw.integers(number // 2, number, QUERIES)
    megabytes = texts.nbytes / 1e6

    started = time.process_time()
    ids, times = pa.array([str(place) for place in range(number)]), pa.array(np.arange(number))
    shard = build_shard(ids, times, texts, texts, np.zeros((number, 0), np.int16))
    site = SiteStatistics(number, int(shard.lengths.sum()), shard.questions_with)
    index = Bm25Index.of(shard, site, Bm25())
    built = time.process_time() - started
    _row("ours, index", megabytes / built, "MB/s")

    new = slice(0, number // 100)
    started = time.process_time()
    build_shard(ids[new], times[new], texts[new], texts[new], np.zeros((number // 100, 0), np.int16))
    _row("ours, a night's shard", time.process_time() - started, "s")
    _row("ours, peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "GB")

    started = time.process_time()
    other = bm25s.BM25(k1=1.2, b=0.75, backend="numba")
    other.index([words[row].tolist() for row in drawn], show_progress=False)
    _row("bm25s, index", megabytes / (time.process_time() - started), "MB/s")

    stemmer = Stemmer.Stemmer("english")
    for name, length in (("12 words", 12), ("60 words", LENGTH)):
        queries = [words[drawn[place, :length]].tolist() for place in asked]
        joined = pa.array([" ".join(each) for each in queries])
        for what, latest in (("earlier", asked), ("all", np.full(QUERIES, number))):
            moments = Moments(latest.astype(np.int64), np.zeros(QUERIES, np.int64))
            index.search(joined[:2], Moments(moments.time[:2], moments.number[:2]), CANDIDATES)
            started = time.process_time()
            index.search(joined, moments, CANDIDATES)
            _row(f"ours, {name}, {what} questions", QUERIES / (time.process_time() - started), "queries/s")
        other.retrieve(queries[:2], k=CANDIDATES, show_progress=False, n_threads=1)
        started = time.process_time()
        other.retrieve(queries, k=CANDIDATES, show_progress=False, n_threads=1)
        _row(f"bm25s, {name}, all questions", QUERIES / (time.process_time() - started), "queries/s")
        started = time.process_time()
        tokens = bm25s.tokenize(
            joined.to_pylist(), stopwords=None, stemmer=stemmer, return_ids=False, show_progress=False
        )
        other.retrieve(tokens, k=CANDIDATES, show_progress=False, n_threads=1)
        _row(f"bm25s from texts, {name}", QUERIES / (time.process_time() - started), "queries/s")
    _row("both, peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "GB")


def _row(name: str, value: float, unit: str) -> None:
    print(f"{name:<36}{value:>10,.1f} {unit}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
