"""Attention weights of neural rankers."""

from pyspark.sql import types as T

from cqa_spark.lake.journal import JournalTable
from cqa_spark.lake.schemas.community import SITE
from cqa_spark.lake.schemas.examples import CANDIDATE_ID, QUERY_ID
from cqa_spark.lake.schemas.rankings import SYSTEM
from cqa_spark.lake.table import column

_STRINGS = T.ArrayType(T.StringType())

ATTENTIONS = JournalTable(
    "attentions",
    "Attention weights of one pair for each system that reads words, before softmax.",
    (
        SYSTEM,
        SITE,
        QUERY_ID,
        CANDIDATE_ID,
        column("query_words", _STRINGS, "words of the query that the network reads, in order", nullable=False),
        column("candidate_words", _STRINGS, "words of the candidate that it reads, in order", nullable=False),
        column(
            "weights", T.ArrayType(T.DoubleType()), "a row per word of the query, one after the other", nullable=False
        ),
    ),
    key=("system",),
)
