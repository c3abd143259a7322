"""The intermediate steps from a query to a candidate, as examples of the step's task."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.task_contract.contract import task


def upstream_examples(
    examples: DataFrame, posts: DataFrame, *, of: str, task_name: str, shortcut: bool = False
) -> DataFrame:
    """The examples of a step's task, and the steps of another task's pairs that are not among them.

    For example, task A excludes threads that repeat an earlier one, but task C ranks their comments.

    Args:
        examples: of the schema ``EXAMPLES``.
        posts: of the schema ``POSTS``.
        of: the task with the pairs.
        task_name: the task of the step.
        shortcut: add the other task's own pairs if this task can score them directly.

    Returns:
        A DataFrame with schema ``EXAMPLES``, all of this task. Examples that share a ``fold_key`` with training
        examples are in split train, so that their scores are out-of-fold and not overconfident.
    """
    of_task = examples.where(F.col("task") == task_name)
    others = examples.where(F.col("task") == of)
    passed = _passed(others, *task(of).via[task_name])
    if shortcut and task_name in task(of).shortcuts:
        passed = passed.unionByName(_passed(others, "query_id", "candidate_id"))
    more = passed.join(of_task, ["site", "query_id", "candidate_id"], "left_anti")
    repeats = posts.where(F.col("post_id") == F.col("thread_id")).select("site", "thread_id", "same_as")
    completed = more.join(repeats, ["site", "thread_id"], "left").select(
        "site", F.lit(task_name).alias("task"), "query_id", "candidate_id", "thread_id",
        task(task_name).fold_key().alias("fold_key"),
        "author_id", "initial_rank", "split",
    )  # fmt: skip
    both = of_task.unionByName(EXAMPLES.complete(completed))
    learned_from = both.where("split = 'train'").select("site", "fold_key", F.lit(True).alias("is_known")).distinct()
    marked = both.join(learned_from, ["site", "fold_key"], "left")
    split = F.when(F.col("is_known"), F.lit("train")).otherwise(F.col("split"))
    return EXAMPLES.conform(marked.withColumn("split", split).drop("is_known"))


def _passed(examples: DataFrame, query: str, candidate: str) -> DataFrame:
    """The distinct steps, because all comments of a thread share the step to the thread."""
    steps = examples.groupBy("site", F.col(query).alias("query_id"), F.col(candidate).alias("candidate_id"), "split")
    first = steps.agg(
        F.min("thread_id").alias("thread_id"),
        F.min("author_id").alias("author_id"),
        F.min("initial_rank").alias("given"),
    )
    rank = F.row_number().over(Window.partitionBy("site", "query_id").orderBy("given", "candidate_id"))
    return first.withColumn("initial_rank", rank)
