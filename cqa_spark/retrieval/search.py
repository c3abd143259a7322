"""Finds the best earlier questions of the site for many queries, by words and by embeddings, over all shards."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cqa_spark.retrieval.bm25 import Bm25, Bm25Index, SiteStatistics
from cqa_spark.retrieval.dense import DenseIndex
from cqa_spark.retrieval.search_result import BM25, COSINE
from cqa_spark.retrieval.shard import QuestionTimes, as_vectors, from_row

_INDEX, _QUERY = 0, 1
"""Kinds of rows in the column ``part``: the index of a shard comes before the queries."""

_RETRIEVED = "site string, query_id string, candidate_id string, way string, score double, time bigint, number bigint"


def search(shards: DataFrame, queries: DataFrame, deleted: DataFrame, parameters: Bm25, limit: int) -> DataFrame:
    """The best earlier questions of each shard by BM25, and by the cosine of embeddings where the shard has them.

    Each shard meets all queries of its site in one task. Statistics are the site's, from one aggregation over the
    vocabularies of its shards, so scores do not depend on the number of shards.

    Args:
        shards: rows of ``INDEX_SHARDS``.
        queries: site, post_id, asked, text and vector, as ``index.questions`` returns them.
        deleted: site and post_id of indexed questions that are no longer on the site, which are not found.
        parameters: parameters of BM25.
        limit: candidates per query, shard and way.

    Returns:
        site, query_id, candidate_id, way (``bm25`` or ``cosine``), score (above 0), and time and number of the
        candidate, by which the older of two equal ones is first.
    """
    # A stream of rows, for each shard first its index, then the queries of its site.
    keys = F.broadcast(shards.select("site", "shard"))
    query = F.struct(*queries.columns).alias("query")
    query_rows = queries.join(keys, "site").select("site", "shard", F.lit(_QUERY).alias("part"), query)
    deleted_ids = deleted.groupBy("site").agg(F.collect_list("post_id").alias("deleted"))
    index = with_site_statistics(shards).join(F.broadcast(deleted_ids), "site", "left")
    index_rows = index.select("site", "shard", F.lit(_INDEX).alias("part"), F.struct(*index.columns).alias("index"))
    partitions = int(str(queries.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    stream = (
        index_rows.unionByName(query_rows, allowMissingColumns=True)
        .repartition(partitions, "site", "shard")
        .sortWithinPartitions("site", "shard", "part")
    )

    def search_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        opened: Bm25Index | None = None
        for batch in batches:
            parts = batch.column("part").to_pylist()
            # A run is the index of one shard, or queries.
            starts = [row for row, part in enumerate(parts) if row == 0 or part == _INDEX or part != parts[row - 1]]
            for start, end in pairwise([*starts, len(parts)]):
                rows = batch.slice(start, end - start)
                if parts[start] == _INDEX:
                    opened = None  # one shard at a time in memory
                    opened = _open(rows.column("index"), parameters)
                elif opened is not None:
                    yield from _search(opened, rows.column("query"), limit)

    return stream.mapInArrow(search_batches, _RETRIEVED)


def _open(structs: pa.StructArray, parameters: Bm25) -> Bm25Index:
    """The index of a shard, from its row."""
    row = {field.name: column[0] for field, column in zip(structs.type, structs.flatten(), strict=True)}
    with_terms = row["site_questions_with"]
    counts = with_terms.values.to_numpy(zero_copy_only=False) if with_terms.is_valid else np.zeros(0, np.int64)
    site = SiteStatistics(row["site_questions"].as_py(), row["site_terms"].as_py(), counts)
    deleted = row["deleted"].values if row["deleted"].is_valid else pa.array([], pa.string())
    return Bm25Index.of(from_row(row, deleted), site, parameters)


def _search(index: Bm25Index, structs: pa.StructArray, limit: int) -> Iterator[pa.RecordBatch]:
    """The candidates of some queries, by each way of retrieval."""
    query = dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))
    times = QuestionTimes.of(query["post_id"], query["asked"])
    shard = index.shard
    by_words = index.search(query["text"], times, limit)
    by_vectors = DenseIndex(shard).search(as_vectors(query["vector"]), times, limit)
    for way, result in ((BM25, by_words), (COSINE, by_vectors)):
        queries = pa.array(result.query)
        yield pa.RecordBatch.from_arrays(
            [
                query["site"].take(queries),
                query["post_id"].take(queries),
                shard.ids.take(pa.array(result.row)),
                pa.array([way] * len(queries), pa.string()),
                pa.array(result.score.astype(np.float64)),
                pa.array(shard.times.time[result.row]),
                pa.array(shard.times.number[result.row]),
            ],
            names=["site", "query_id", "candidate_id", "way", "score", "time", "number"],
        )


def with_site_statistics(shards: DataFrame) -> DataFrame:
    """Add the statistics of the site, on which scores depend.

    Args:
        shards: rows of ``INDEX_SHARDS``.

    Returns:
        The same rows with ``site_questions``, ``site_terms`` and ``site_questions_with`` (by term of the vocabulary).
    """
    exploded = F.posexplode(F.arrays_zip("vocabulary", "questions_with")).alias("position", "term")
    terms = shards.select("site", "shard", exploded).select("site", "shard", "position", "term.*")
    in_site = terms.groupBy("site", "vocabulary").agg(F.sum("questions_with").alias("in_site"))
    # The frequencies in the site, in the order of the shard's vocabulary.
    aligned = F.sort_array(F.collect_list(F.struct("position", "in_site")))["in_site"]
    with_terms = terms.join(in_site, ["site", "vocabulary"]).groupBy("site", "shard")
    sizes = shards.groupBy("site").agg(F.sum("questions").alias("site_questions"), F.sum("terms").alias("site_terms"))
    statistics = with_terms.agg(aligned.alias("site_questions_with"))
    return shards.join(F.broadcast(sizes), "site").join(statistics, ["site", "shard"], "left")
