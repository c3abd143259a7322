"""Semantic textual similarity: grade how similar two sentences are."""

from typing import ClassVar

from pyspark.sql import Column
from pyspark.sql import functions as F

from cqa_spark.examples.task import Task


class Sts(Task):
    """Sentence pairs with a similarity from 0 (unrelated) to 5 (equivalent) (Agirre et al. 2012).

    The first sentence of a pair is the query, the second its only candidate. The measure is the correlation of scores
    and similarities. For rankers that need classes, the label is the rounded similarity. Pairs are relevant from 4, at
    which only unimportant details differ.
    """

    name = "sts"
    letter = "S"
    about = "grade the similarity in meaning of two sentences"
    grades: ClassVar[dict[str, int]] = {}
    relevant_from = 4
    grades_pairs = True
    formats = ("sts",)
    baseline = "cosine_sts"
    measures = ("Pearson",)

    def similarity(self) -> Column:
        """The label is the number."""
        return F.col("label").cast("double")

    def grade(self) -> Column:
        """The similarity, rounded."""
        return F.round(self.similarity()).cast("int")

    def fold_key(self) -> Column:
        """The pair."""
        return F.col("thread_id")
