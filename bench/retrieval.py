"""Compares the queries per second of our index with bm25s, in one process and one run.

    python bench/retrieval.py [QUESTIONS]     (default 100,000; needs: pip install bm25s)

Questions are invented: 60 words each, drawn by Zipf's law from 50,000. Both index the same words and answer the same
queries with 50 candidates each, on one thread; speeds are per second of CPU time, of the fastest of four runs. Ours has
a shard for every 100,000 questions. bm25s runs its fastest backend, numba, on lists of words; with its own tokenizer
and the stemmer of our index, it starts from texts as ours does. Ours also leaves out later questions, which makes half
of the work on average unnecessary; so it is measured with and without that. A night adds a shard with 1 % of the
questions.
"""

import resource
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import bm25s
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import Stemmer
from measuring import add_figure

from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.shard import QuestionTimes, Shard, build_shard

WORDS, LENGTH, QUERIES, CANDIDATES = 50_000, 60, 500, 50
SHARD = 100_000
RUNS = 4  # the first also compiles


def main(number: int) -> None:
    """Print the table."""
    draw = np.random.default_rng(2017)
    weights = np.cumsum(1 / np.arange(20, WORDS + 20))
    words = np.array([f"w{place}x" for place in range(WORDS)], dtype=object)
    drawn = [
        np.searchsorted(weights / weights[-1], draw.random((min(SHARD, number - first), LENGTH))).astype(np.int32)
        for first in range(0, number, SHARD)
    ]
    asked = draw.integers(number // 2, number, QUERIES)

    # A question goes to a shard by its number, so the questions of a shard are spread over all times.
    seconds, megabytes, shards = 0.0, 0.0, []
    for place, rows in enumerate(drawn):
        times = np.arange(place, number, len(drawn))[: len(rows)]
        texts = pa.array([" ".join(row) for row in words[rows]])
        megabytes += texts.nbytes / 1e6
        started = time.process_time()
        shards.append(_shard(times, texts))
        seconds += time.process_time() - started
    started = time.process_time()
    indexes = [Bm25Index.of(shard, site, Bm25()) for shard, site in zip(shards, _statistics(shards), strict=True)]
    seconds += time.process_time() - started
    _row("ours, index", megabytes / seconds, "MB/s")

    night = slice(0, number // 100)
    times, texts = times[night], texts[night]
    started = time.process_time()
    _shard(times, texts)
    _row("ours, a night's shard", time.process_time() - started, "s")
    _row("ours, peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "GB")

    started = time.process_time()
    other = bm25s.BM25(k1=1.2, b=0.75, backend="numba")
    other.index([words[row].tolist() for rows in drawn for row in rows], show_progress=False)
    _row("bm25s, index", megabytes / (time.process_time() - started), "MB/s")

    stemmer = Stemmer.Stemmer("english")

    def from_texts(texts: pa.Array) -> None:
        tokens = bm25s.tokenize(
            texts.to_pylist(), stopwords=None, stemmer=stemmer, return_ids=False, show_progress=False
        )
        other.retrieve(tokens, k=CANDIDATES, show_progress=False, n_threads=1)

    for name, length in (("12 words", 12), ("60 words", LENGTH)):
        queries = [words[drawn[at // SHARD][at % SHARD, :length]].tolist() for at in asked]
        joined = pa.array([" ".join(each) for each in queries])
        for what, latest in (("earlier", asked), ("all", np.full(QUERIES, number))):
            moments = QuestionTimes(latest.astype(np.int64), np.zeros(QUERIES, np.int64))
            ours = _speed(f"ours, {name}, {what} questions", partial(_search, indexes, joined, moments))
        retrieve = partial(other.retrieve, queries, k=CANDIDATES, show_progress=False, n_threads=1)
        peer = _speed(f"bm25s, {name}, all questions", retrieve)
        add_figure(f"BM25, {number:,} questions, {name}", ours, peer, "queries/s", "bm25s")
        _speed(f"bm25s from texts, {name}", partial(from_texts, joined))
    _row("both, peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, "GB")


def _shard(times: np.ndarray, texts: pa.Array) -> Shard:
    ids = pa.array([str(time) for time in times])
    return build_shard(ids, pa.array(times), texts, texts, np.zeros((len(texts), 0), np.int16))


def _statistics(shards: Sequence[Shard]) -> list[SiteStatistics]:
    """The statistics of the site, for each shard; a job computes them by an aggregation in Spark."""
    of_shards = [pa.table({"term": shard.vocabulary, "questions": shard.questions_with}) for shard in shards]
    site = pa.concat_tables(of_shards).group_by("term").aggregate([("questions", "sum")])
    counts = site["questions_sum"].to_numpy()
    questions, terms = sum(len(shard.ids) for shard in shards), sum(int(shard.lengths.sum()) for shard in shards)
    places = [pc.index_in(shard.vocabulary, value_set=site["term"].combine_chunks()).to_numpy() for shard in shards]
    return [SiteStatistics(questions, terms, counts[each]) for each in places]


def _search(indexes: Sequence[Bm25Index], texts: pa.Array, asked: QuestionTimes) -> pa.Table:
    """The best questions of all shards."""
    found = [index.search(texts, asked, CANDIDATES) for index in indexes]
    query, shard, place, score = (
        np.concatenate(each)
        for each in zip(
            *((of.query, np.full(len(of.query), number), of.row, of.score) for number, of in enumerate(found)),
            strict=True,
        )
    )
    order = np.lexsort((-score, query))
    rank = np.arange(len(order)) - np.searchsorted(query[order], query[order])
    kept = order[rank < CANDIDATES]
    return pa.table({"query": query[kept], "shard": shard[kept], "place": place[kept], "score": score[kept]})


def _speed(name: str, search: Callable[[], object]) -> float:
    """Print and return the highest speed of several runs."""
    seconds = []
    for _ in range(RUNS):
        started = time.process_time()
        search()
        seconds.append(time.process_time() - started)
    speed = QUERIES / min(seconds)
    _row(name, speed, "queries/s")
    return speed


def _row(name: str, value: float, unit: str) -> None:
    print(f"{name:<36}{value:>10,.1f} {unit}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
