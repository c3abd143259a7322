"""Finds the best earlier questions of the site for many queries, by words and by embeddings, over all shards."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.search_result import BM25, COSINE, SearchResult
from cqa_spark.retrieval.shard import SCALE, Indices, QuestionTimes, Shard, Vectors, as_vectors, from_row

# Exact search of a shard by the cosine of embeddings.
#
# A matrix product of single precision finds the candidates, and integer products decide: components have four decimal
# places, so sums of their products are exact as integers, and the number of shards changes no score. The product
# covers earlier questions only, which an index of nearest neighbours cannot leave out (``bench/retrieval.py``
# compares both).

_QUERIES = 64
_ERROR = 1e-4 * SCALE**2
"""Above the error of products in single precision, which is at most the dimension by 2⁻²⁴ for unit vectors."""


@dataclass(frozen=True)
class DenseIndex:
    """A shard whose questions have vectors."""

    shard: Shard

    def search(self, vectors: Vectors, asked: QuestionTimes, limit: int) -> SearchResult:
        """The nearest earlier questions for each query, of those that are not deleted.

        Args:
            vectors: of the queries, shape (queries, dimension); zeros where a query has none, which finds nothing.
            asked: when they were asked.
            limit: questions per query, at least 1.
        """
        if not self.shard.vectors.shape[1] or not vectors.shape[1]:
            return SearchResult(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
        before = self.shard.asked.before(asked)
        in_time = np.argsort(before, kind="stable")
        questions = self.shard.vectors[: before.max(initial=0)].astype(np.float32)
        deleted = np.flatnonzero(self.shard.deleted)
        best: list[tuple[Indices, NDArray[np.float64]]] = [(np.zeros(0, np.int64), np.zeros(0))] * len(vectors)
        for start in range(0, len(vectors), _QUERIES):
            queries = in_time[start : start + _QUERIES]
            earlier = before[queries[-1]]
            products = vectors[queries].astype(np.float32) @ questions[:earlier].T
            products[:, deleted[deleted < earlier]] = -np.inf
            for query, row in zip(queries.tolist(), products, strict=True):
                best[query] = self._best(vectors[query], row[: before[query]], limit)
        return SearchResult(
            np.repeat(np.arange(len(vectors)), [len(rows) for rows, _ in best]),
            np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in best)]),
            np.concatenate([np.zeros(0), *(scores for _, scores in best)]),
        )

    def _best(self, query: Vectors, products: NDArray[np.float32], limit: int) -> tuple[Indices, NDArray[np.float64]]:
        """The places and cosines of the best, of those whose products are at most an error below the best ones."""
        lowest = np.partition(products, -limit)[-limit] - 2 * _ERROR if len(products) > limit else -_ERROR
        near = np.flatnonzero(products >= max(lowest, -_ERROR))  # lower products are not above 0
        exact = self.shard.vectors[near].astype(np.int64) @ query.astype(np.int64)
        order = np.argsort(-exact, kind="stable")[:limit]
        order = order[exact[order] > 0]
        return near[order], exact[order] / SCALE**2


_FOUND = "site string, query_id string, candidate_id string, way string, score double, time bigint, number bigint"

Batches = Iterable[pa.RecordBatch]


def search(shards: DataFrame, queries: DataFrame, deleted: DataFrame, parameters: Bm25, limit: int) -> DataFrame:
    """The best earlier questions of each shard by BM25, and by the cosine of embeddings where the shard has them.

    Each shard meets all queries of its site in one task. Statistics are those of the site, from one aggregation over
    the vocabularies of its shards, so scores do not depend on the number of shards.

    Args:
        shards: rows of ``INDEX_SHARDS``.
        queries: site, post_id, asked, text and vector, as ``questions.questions`` gives them.
        deleted: site and post_id of indexed questions that are no longer on the site, which are not found.
        parameters: of BM25.
        limit: candidates per query, shard and way.

    Returns:
        site, query_id, candidate_id, way (``bm25`` or ``cosine``), score (above 0), and time and number of the
        candidate, by which the older of equal ones is first.
    """
    keys = F.broadcast(shards.select("site", "shard"))
    asked = queries.join(keys, "site").select("site", "shard", F.lit(1).alias("part"), _as_struct("query", queries))
    of_site = deleted.groupBy("site").agg(F.collect_list("post_id").alias("deleted"))
    index = with_site_statistics(shards).join(F.broadcast(of_site), "site", "left")
    rows = index.select("site", "shard", F.lit(0).alias("part"), _as_struct("index", index))
    partitions = int(str(queries.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    together = (
        rows.unionByName(asked, allowMissingColumns=True)
        .repartition(partitions, "site", "shard")
        .sortWithinPartitions("site", "shard", "part")
    )
    return together.mapInArrow(_searching(parameters, limit), _FOUND)


def with_site_statistics(shards: DataFrame) -> DataFrame:
    """Add the statistics of the site, on which scores depend.

    Args:
        shards: rows of ``INDEX_SHARDS``.

    Returns:
        The same rows with ``site_questions``, ``site_terms`` and ``site_questions_with`` (by term of the vocabulary).
    """
    by_term = F.posexplode(F.arrays_zip("vocabulary", "questions_with")).alias("place", "of_term")
    terms = shards.select("site", "shard", by_term).select("site", "shard", "place", "of_term.*")
    in_site = terms.groupBy("site", "vocabulary").agg(F.sum("questions_with").alias("in_site"))
    aligned = F.sort_array(F.collect_list(F.struct("place", "in_site")))["in_site"]
    with_terms = terms.join(in_site, ["site", "vocabulary"]).groupBy("site", "shard")
    sizes = shards.groupBy("site").agg(F.sum("questions").alias("site_questions"), F.sum("terms").alias("site_terms"))
    statistics = with_terms.agg(aligned.alias("site_questions_with"))
    return shards.join(F.broadcast(sizes), "site").join(statistics, ["site", "shard"], "left")


def _as_struct(part: str, rows: DataFrame) -> Column:
    return F.struct(*rows.columns).alias(part)


def _searching(parameters: Bm25, limit: int) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def search_batches(batches: Batches) -> Iterator[pa.RecordBatch]:
        index: Bm25Index | None = None
        for batch in batches:
            for part, rows in _runs(batch):
                if part == 0:
                    index = None  # one shard at a time in memory
                    index = _open(rows.column("index"), parameters)
                elif index is not None:
                    yield from _search(index, rows.column("query"), limit)

    return search_batches


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Each shard, and the queries that follow it."""
    parts = batch.column("part").to_pylist()
    starts = [row for row, part in enumerate(parts) if row == 0 or part == 0 or part != parts[row - 1]]
    for start, end in pairwise([*starts, len(parts)]):
        yield parts[start], batch.slice(start, end - start)


def _open(structs: pa.StructArray, parameters: Bm25) -> Bm25Index:
    row = {field.name: column[0] for field, column in zip(structs.type, structs.flatten(), strict=True)}
    with_terms = row["site_questions_with"]
    counts = with_terms.values.to_numpy(zero_copy_only=False) if with_terms.is_valid else np.zeros(0, np.int64)
    site = SiteStatistics(row["site_questions"].as_py(), row["site_terms"].as_py(), counts)
    deleted = row["deleted"].values if row["deleted"].is_valid else pa.array([], pa.string())
    return Bm25Index.of(from_row(row, deleted), site, parameters)


def _search(index: Bm25Index, structs: pa.StructArray, limit: int) -> Iterator[pa.RecordBatch]:
    query = dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))
    asked = QuestionTimes.of(query["post_id"], query["asked"])
    yield _rows(index.shard, query, BM25, index.search(query["text"], asked, limit))
    yield _rows(index.shard, query, COSINE, DenseIndex(index.shard).search(as_vectors(query["vector"]), asked, limit))


def _rows(shard: Shard, query: dict[str, pa.Array], way: str, result: SearchResult) -> pa.RecordBatch:
    queries = pa.array(result.query)
    return pa.RecordBatch.from_arrays(
        [
            query["site"].take(queries),
            query["post_id"].take(queries),
            shard.ids.take(pa.array(result.row)),
            pa.array([way] * len(queries), pa.string()),
            pa.array(result.score.astype(np.float64)),
            pa.array(shard.asked.time[result.row]),
            pa.array(shard.asked.number[result.row]),
        ],
        names=["site", "query_id", "candidate_id", "way", "score", "time", "number"],
    )
