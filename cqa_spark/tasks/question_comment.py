"""Task A: rank a question's comments."""

from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.tasks.semeval import SemevalTask


class QuestionComment(SemevalTask):
    """Candidates are the comments of the question's thread; only Good ones are relevant (Nakov et al. 2016)."""

    name = "question_comment"
    letter = "A"
    about = "rank the comments of a thread by how well they answer its question"
    grades = MappingProxyType({"Good": 2, "PotentiallyUseful": 1, "Bad": 0})
    relevant_from = 2
    candidate_id = "comment_id"
    formats = ("qatar_living",)
    baseline = "given_order"

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """The comments' authors and times."""
        return comments.select("site", F.col("comment_id").alias("candidate_id"), "user_id", "created_at")

    def fold_key(self) -> Column:
        """The first copy of the thread, because text and labels recur in every copy."""
        return F.coalesce("same_as", "thread_id")

    def keeps(self) -> Column:
        """Threads that repeat an earlier one are skipped, as in the official task."""
        return F.col("same_as").isNull()
