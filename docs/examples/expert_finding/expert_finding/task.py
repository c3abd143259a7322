"""The task: rank the users who have answered earlier questions with the same tags."""

from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cqa_spark.runtime.flow import Step
from cqa_spark.task_contract.contract import Night, Task

ACCEPTED, OTHER = "Accepted", "Other"


class Expert(Task):
    """Candidates are users; the author of the accepted answer is relevant."""

    name = "expert"
    letter = "U"
    about = "rank the users who have answered earlier questions with the tags of a question"
    grades = MappingProxyType({ACCEPTED: 1, OTHER: 0})
    relevant_from = 1
    formats = ("stackexchange",)
    baseline = "most_answers"
    measures = ("MRR@10", "P@1", "nDCG@10")

    def written(self, posts: DataFrame, comments: DataFrame) -> DataFrame:
        """Every user who has written a post, as candidate and as author."""
        users = posts.select("site", "user_id").where("user_id IS NOT NULL").distinct()
        return users.select(
            "site",
            F.concat(F.lit("user-"), "user_id").alias("candidate_id"),
            "user_id",
            F.lit(None).cast("timestamp").alias("created_at"),
        )

    def fold_key(self) -> Column:
        """The question."""
        return F.col("query_id")

    def night(self, night: Night) -> tuple[Step, ...]:
        """Every question with candidates; texts are not read."""
        from expert_finding.step import FindExperts

        return (FindExperts(night.last),)
