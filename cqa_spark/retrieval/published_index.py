"""The index of a run, searched by one process without Spark."""

import io
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cqa_spark.lake.lake import Lake
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS
from cqa_spark.lake.snapshot import RunTables
from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.dense import DenseIndex
from cqa_spark.retrieval.search_result import SearchResult, reciprocal
from cqa_spark.retrieval.shard import Indices, QuestionTimes, Shard, Vectors, count_terms, from_row

_NOW = QuestionTimes(np.array([np.iinfo(np.int64).max]), np.array([0]))
"""A time after all questions."""


class Similar(NamedTuple):
    """A retrieved question.

    Attributes:
        site: its site.
        question_id: its id.
        title: its title; empty where it has none.
        score: sum of the reciprocal ranks by each way of retrieval.
        bm25: its BM25, comparable within a site; None where it is not among the best by words.
        cosine: cosine of its embedding; None where it is not among the best by embeddings.
    """

    site: str
    question_id: str
    title: str
    score: float
    bm25: float | None
    cosine: float | None


class SiteIndex(NamedTuple):
    """The index of a site.

    Attributes:
        site: the site.
        shards: all of its shards.
        model: name and version of the embedding model; None without embeddings.
    """

    site: str
    shards: list[Shard]
    model: tuple[str, str] | None


class _Question(NamedTuple):
    """A retrieved question; questions compare by their time."""

    time: int
    number: int
    question_id: str
    title: str


Ranking = list[tuple[_Question, float]]


def read_index(lake: Lake, run: RunTables) -> dict[str, SiteIndex]:
    """Read the index of each site of a run.

    Args:
        lake: the lake of the run.
        run: has the table ``index_shards``.
    """
    deleted: dict[str, list[str]] = {}
    for entry in run.entries_or_none(DELETED_QUESTIONS):
        deleted.setdefault(entry["site"], []).append(entry["post_id"])
    by_site: dict[str, SiteIndex] = {}
    for file in run.files(INDEX_SHARDS).files:
        site = file.site or ""
        stored = lake.objects.read(file.path)
        assert stored is not None, "garbage collection keeps the files of runs"
        for batch in pq.ParquetFile(io.BytesIO(stored.data)).iter_batches(batch_size=1):
            row = {name: batch.column(name)[0] for name in batch.schema.names}
            model = (row["model"].as_py(), row["model_version"].as_py()) if row["model"].is_valid else None
            index = by_site.setdefault(site, SiteIndex(site, [], model))
            index.shards.append(from_row(row, pa.array(deleted.get(site, []), pa.string())))
    return by_site


def most_similar(
    index: SiteIndex, text: str, vector: Vectors, parameters: Bm25, limit: int, *, depth: int = 50
) -> list[Similar]:
    """The questions of a site that are most similar to a text, best first; of two equal ones the older is first.

    Args:
        index: the index of the site.
        text: the question.
        vector: its embedding, shape (1, dimension); no columns without an embedding.
        parameters: parameters of BM25.
        limit: number of questions.
        depth: minimum number of questions that each way of retrieval contributes.
    """
    most = max(depth, limit)
    rankings = (
        _best(_by_words(index.shards, text, parameters, most), most),
        _best(_by_vectors(index.shards, vector, most), most),
    )
    fused: dict[_Question, float] = {}
    for ranking in rankings:
        for rank, (question, _) in enumerate(ranking, start=1):
            fused[question] = fused.get(question, 0.0) + reciprocal(rank)
    best = sorted(fused, key=lambda question: (-fused[question], question))[:limit]
    bm25, cosine = map(dict, rankings)
    return [
        Similar(
            index.site, question.question_id, question.title, fused[question], bm25.get(question), cosine.get(question)
        )
        for question in best
    ]


def _by_words(shards: list[Shard], text: str, parameters: Bm25, limit: int) -> Ranking:
    """The best questions of each shard by BM25, with the statistics of all shards."""
    queries = pa.array([text])
    terms = count_terms(queries).vocabulary
    # For each shard, the number of each term of the query in its vocabulary, or -1.
    numbers_by_shard = [pc.index_in(terms, value_set=shard.vocabulary).fill_null(-1).to_numpy() for shard in shards]
    in_site = np.zeros(len(terms), dtype=np.int64)
    for shard, numbers in zip(shards, numbers_by_shard, strict=True):
        in_site += np.append(shard.questions_with, 0)[numbers]  # -1 takes the 0 at the end
    questions, length = sum(len(shard.ids) for shard in shards), sum(int(shard.lengths.sum()) for shard in shards)
    ranking: Ranking = []
    for shard, numbers in zip(shards, numbers_by_shard, strict=True):
        is_in_shard = numbers >= 0
        # Only the postings of the query's terms are scored.
        part = _only_terms(shard, numbers[is_in_shard])
        statistics = SiteStatistics(questions, length, in_site[is_in_shard])
        ranking += _named(shard, Bm25Index.of(part, statistics, parameters).search(queries, _NOW, limit))
    return ranking


def _only_terms(shard: Shard, terms: Indices) -> Shard:
    """A shard with only the postings of some terms, which are in lexicographic order."""
    postings = [slice(shard.starts[term], shard.starts[term + 1]) for term in terms.tolist()]
    nothing = np.zeros(0, np.int32)
    return replace(
        shard,
        vocabulary=shard.vocabulary.take(pa.array(terms)),
        starts=np.concatenate([[0], np.cumsum([part.stop - part.start for part in postings])]).astype(np.int64),
        rows=np.concatenate([nothing, *(shard.rows[part] for part in postings)]),
        counts=np.concatenate([nothing, *(shard.counts[part] for part in postings)]),
    )


def _by_vectors(shards: list[Shard], vector: Vectors, limit: int) -> Ranking:
    """The best questions of each shard by the cosine of embeddings."""
    ranking: Ranking = []
    for shard in shards:
        ranking += _named(shard, DenseIndex(shard).search(vector, _NOW, limit))
    return ranking


def _named(shard: Shard, result: SearchResult) -> Ranking:
    """The questions of a shard that a search returned, with their scores."""
    ranking: Ranking = []
    for row, score in zip(result.row.tolist(), result.score.tolist(), strict=True):
        time, number = int(shard.times.time[row]), int(shard.times.number[row])
        ranking.append((_Question(time, number, shard.ids[row].as_py(), shard.titles[row].as_py() or ""), score))
    return ranking


def _best(ranking: Ranking, limit: int) -> Ranking:
    """The best of all shards."""
    return sorted(ranking, key=lambda scored: (-scored[1], scored[0]))[:limit]
