"""Task C: rank comments of related threads for a new question."""

from types import MappingProxyType

from pyspark.sql import Column, DataFrame

from cqa_spark.tasks.question_comment import QuestionComment
from cqa_spark.tasks.question_question import QuestionQuestion
from cqa_spark.tasks.semeval import SemevalTask


class ExternalComment(SemevalTask):
    """Candidates are the comments of related threads; relevance as in task A (Nakov et al. 2016)."""

    name = "external_comment"
    letter = "C"
    about = "rank the comments of related threads by how well they answer a new question"
    grades = QuestionComment.grades
    relevant_from = QuestionComment.relevant_from
    candidate_id = "comment_id"
    formats = ("qatar_living",)
    baseline = "search_order_c"
    via = MappingProxyType(
        {QuestionComment.name: ("thread_id", "candidate_id"), QuestionQuestion.name: ("query_id", "thread_id")}
    )
    shortcuts = (QuestionComment.name,)

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """The comments' authors and times."""
        return QuestionComment().written(posts, comments)

    def fold_key(self) -> Column:
        """The original question, for the reason given in task B."""
        return QuestionQuestion().fold_key()
