"""Task B: rank related questions for a new question."""

from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.tasks.semeval import SemevalTask


class QuestionQuestion(SemevalTask):
    """Candidates are related questions; PerfectMatch and Relevant count as relevant (Nakov et al. 2016)."""

    name = "question_question"
    letter = "B"
    about = "rank the questions found by a search engine by how closely they are related to a new question"
    grades = MappingProxyType({"PerfectMatch": 2, "Relevant": 1, "Irrelevant": 0})
    relevant_from = 1
    formats = ("qatar_living", "question_pairs")
    baseline = "search_order_b"

    def fold_key(self) -> Column:
        """The original question, because labels belong to the pair and no original question occurs twice.

        Related threads recur for other original questions, with other labels. Grouping by these as well would put 255
        of the 267 original questions of the 2016 training files into one fold.
        """
        return F.col("query_id")
