"""What systems say of the two steps from a new question to a comment: to the thread, and from its question on."""

from __future__ import annotations

from typing import ClassVar

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from cqa_spark.features.group import Entity, FeatureColumn, FeatureGroup, feature_values
from cqa_spark.features.inputs import FeatureInputs

_STEPS = "Filice et al. 2016, KeLP at SemEval-2016 Task 3: scores of subtasks A and B as features of subtask C"
_LEAST = 1e-6
_UNKNOWN = -3.0


def _log(probability: str) -> str:
    return f"ln(greatest({probability}, {_LEAST}D))"


_FEATURES = {
    FeatureColumn(
        "log_comment", "ln of the probability that the comment answers its own thread's question", _STEPS, _UNKNOWN
    ): _log("comment"),
    FeatureColumn(
        "log_question", "ln of the probability that the thread's question is related to the query", _STEPS, _UNKNOWN
    ): _log("question"),
    FeatureColumn("log_path", "log_comment + log_question", _STEPS, 2 * _UNKNOWN): f"{_log('comment')} + "
    f"{_log('question')}",
    FeatureColumn("log_path_twice", "log_comment + 2 log_question", "ours", 3 * _UNKNOWN): f"{_log('comment')} + "
    f"2 * {_log('question')}",
    FeatureColumn("product", "the product of both probabilities", _STEPS): "comment * question",
    FeatureColumn("comment_place", "place by the comment's probability in its thread, from 1", "ours", 5.0): (
        "comment_place"
    ),
    FeatureColumn("question_place", "place by the question's probability among the query's, from 1", "ours", 5.0): (
        "question_place"
    ),
    FeatureColumn(
        "question_relative", "log_question less the largest of the query's", "ours", _UNKNOWN
    ): f"{_log('question')} - {_log('best_question')}",
    FeatureColumn(
        "comment_relative", "log_comment less the largest of its thread's", "ours", _UNKNOWN
    ): f"{_log('comment')} - {_log('best_comment')}",
}
"""Each column with its SQL over a row of ``_steps``."""


class PathScoresV1(FeatureGroup):
    """Probabilities of the tasks question_comment and question_question, from the systems named as upstream.

    Those of training threads are out of fold, so that they are as sure of themselves as they will be of new threads.
    """

    name: ClassVar[str] = "path_scores_v1"
    family: ClassVar[str] = "rank"
    about: ClassVar[str] = "what the systems of tasks A and B say of the two steps from the query to the comment"
    entity: ClassVar[Entity] = Entity.PAIR
    columns: ClassVar[tuple[FeatureColumn, ...]] = tuple(_FEATURES)
    needs: ClassVar[tuple[str, ...]] = ("scores",)
    reads_texts: ClassVar[bool] = False

    def compute(self, inputs: FeatureInputs) -> DataFrame:
        """Values of each pair; what no system has scored is left out."""
        steps = _steps(inputs.examples, inputs.needed("scores"))
        values = feature_values(_FEATURES)
        return steps.where("comment is not null and question is not null").select(*self.entity.key, *values)


def _steps(examples: DataFrame, scores: DataFrame) -> DataFrame:
    pairs = examples.select("site", "query_id", "candidate_id", "thread_id")
    to_comment = _scores_of(scores, "question_comment", "thread_id", "candidate_id", "comment")
    to_question = _scores_of(scores, "question_question", "query_id", "thread_id", "question")
    joined = pairs.join(to_comment, ["site", "thread_id", "candidate_id"], "left")
    known = joined.join(to_question, ["site", "query_id", "thread_id"], "left")
    query, thread = Window.partitionBy("site", "query_id"), Window.partitionBy("site", "query_id", "thread_id")
    by_comment = thread.orderBy(F.col("comment").desc_nulls_last(), "candidate_id")
    by_question = query.orderBy(F.col("question").desc_nulls_last(), "thread_id")
    return known.withColumns(
        {
            "best_comment": F.max("comment").over(thread),
            "best_question": F.max("question").over(query),
            "comment_place": F.row_number().over(by_comment),
            "question_place": F.dense_rank().over(by_question),
        }
    )


def _scores_of(scores: DataFrame, task: str, query: str, candidate: str, score: str) -> DataFrame:
    return scores.where(F.col("task") == task).select(
        "site", F.col("query_id").alias(query), F.col("candidate_id").alias(candidate), F.col("score").alias(score)
    )
