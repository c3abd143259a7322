"""The index of a site's questions, and the retrieved candidates."""

from dataclasses import replace

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, EXAMPLES, QUERY_ID
from cqa_spark.lake.table import SiteTable, column, required

_STRINGS = T.ArrayType(T.StringType(), containsNull=True)

INDEX_SHARDS: SiteTable = SiteTable(
    "index_shards",
    "The index of a site's questions, a row per shard; numbers are little-endian bytes.",
    (
        SITE,
        required("shard", "string", "name of the shard within the site"),
        required("questions", "bigint", "number of questions"),
        required("terms", "bigint", "number of their terms, repetitions included"),
        required("ids", _STRINGS, "ids of the questions, oldest first"),
        required("titles", _STRINGS, "titles of the questions, as in the dump"),
        column("asked", T.BinaryType(), "int64: times of the questions, microseconds since 1970; -1 where unknown"),
        column("numbers", T.BinaryType(), "int64: numeric ids of the questions; 0 for other ids"),
        column("lengths", T.BinaryType(), "int32: number of terms of each question"),
        required("vocabulary", _STRINGS, "distinct terms, in lexicographic order"),
        required("questions_with", T.ArrayType(T.IntegerType()), "document frequency of each term in the shard"),
        column("places", T.BinaryType(), "int32: by term, the indices of the questions that contain it, ascending"),
        column("counts", T.BinaryType(), "int32: term frequency in each of these questions"),
        column("vectors", T.BinaryType(), "int16: embeddings of the questions, in units of 0.0001; empty without them"),
        column("model", "string", "embedding model, as in conf/models; null without embeddings"),
        column("model_version", "string", "hash of the model's files and settings; null without embeddings"),
    ),
    key=("site", "shard"),
)

DELETED_QUESTIONS: JournalTable = JournalTable(
    "deleted_questions",
    "Questions that are in the index, which only a full run builds again, and no longer on the site.",
    (SITE, required("post_id", "string", "id of the question")),
    key=("site", "post_id"),
)

RETRIEVED: SiteTable = SiteTable(
    "retrieved",
    "The earlier questions retrieved for each query, by each retrieval method.",
    (
        SITE,
        QUERY_ID,
        CANDIDATE_ID,
        column("bm25", "double", "BM25 of the candidate for the query; null where not found by it"),
        column("bm25_rank", "int", "rank from 1 by BM25; null where not found by it"),
        column("cosine", "double", "cosine of the embeddings; null where not found by it"),
        column("cosine_rank", "int", "rank from 1 by the cosine; null where not found by it"),
        required("fused", "double", "sum of the reciprocal ranks"),
        required("rank", "int", "rank from 1 by the fused score"),
    ),
    key=("site", "query_id", "candidate_id"),
)

UNRETRIEVED = replace(
    EXAMPLES,
    name="unretrieved",
    about="Relevant pairs that retrieval missed, as examples: they count as relevant in the measures, and no "
    "system ranks them.",
)
