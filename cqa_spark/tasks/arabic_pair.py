"""Task D: rank question-answer pairs for a question, in Arabic."""

from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.corpora.cqa_md.reader import QUESTION_PREFIX
from cqa_spark.tasks.semeval import SemevalTask


class ArabicPair(SemevalTask):
    """Retrieved pairs, for a new question; direct answers and related pairs count (Nakov et al. 2016)."""

    name = "arabic_pair"
    letter = "D"
    about = "rank the retrieved question-answer pairs by how well they answer a new question, in Arabic"
    grades = MappingProxyType({"D": 2, "R": 1, "I": 0})
    relevant_from = 1
    query_prefix = QUESTION_PREFIX
    formats = ("cqa_md",)
    baseline = "given_order_d"

    def fold_key(self) -> Column:
        """The question, because labels belong to a question and a pair, and pairs recur for other questions."""
        return F.col("query_id")
