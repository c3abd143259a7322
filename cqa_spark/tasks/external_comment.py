"""Task C: rank comments of related threads for a new question; and its features from scores of tasks A and B."""

from collections import defaultdict
from collections.abc import Mapping
from math import log
from types import MappingProxyType

import numpy as np
from pyspark.sql import Column, DataFrame

from cqa_spark.corpora.qatar_living.reader import RANKS_PER_THREAD
from cqa_spark.features.arrays import filled
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.tasks.semeval import QuestionComment, QuestionQuestion, SemevalTask


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


_STEPS = "Filice et al. 2016, KeLP at SemEval-2016 Task 3: scores of subtasks A and B as features of subtask C"
_LEAST, _UNKNOWN = 1e-6, -3.0
"""Probabilities below it count as it; the logarithm that stands for an absent probability."""


def _log(probability: float) -> float:
    return log(max(probability, _LEAST))


class PathScoresV1(QueryGroup):
    """Probabilities for the tasks question_comment and question_question, from the upstream systems.

    Probabilities of training threads are out-of-fold, so that their distribution matches that of new threads.
    """

    name = "path_scores_v1"
    family = "rank"
    about = "scores of the systems for tasks A and B for the two steps from the query to the comment"
    entity = Entity.PAIR
    columns = (
        FeatureColumn(
            "log_comment", "ln of the probability that the comment answers its own thread's question", _STEPS, _UNKNOWN
        ),
        FeatureColumn(
            "log_question", "ln of the probability that the thread's question is related to the query", _STEPS, _UNKNOWN
        ),
        FeatureColumn("log_path", "log_comment + log_question", _STEPS, 2 * _UNKNOWN),
        FeatureColumn("log_path_twice", "log_comment + 2 log_question", "ours", 3 * _UNKNOWN),
        FeatureColumn("product", "the product of both probabilities", _STEPS),
        FeatureColumn("comment_place", "rank by the comment's probability in its thread, from 1", "ours", 5.0),
        FeatureColumn("question_place", "rank by the question's probability among the query's, from 1", "ours", 5.0),
        FeatureColumn("question_relative", "log_question minus the maximum of the query", "ours", _UNKNOWN),
        FeatureColumn("comment_relative", "log_comment minus the maximum of its thread", "ours", _UNKNOWN),
    )
    needs = ("scores",)
    reads_texts = False

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair; NaN without an upstream score."""
        paths = _paths(batch)
        rows = [row if row in paths else None for row in range(len(batch))]
        return self.tabulate(rows, paths.__getitem__)


def _paths(batch: QueryBatch) -> dict[int, dict[str, float]]:
    """By row of the batch, the values of each example whose two steps both have a score."""
    comment_scores = scores_of(batch, QuestionComment.name)
    question_scores = scores_of(batch, QuestionQuestion.name)
    # By query and thread, rows and ids of the scored comments; by query, the probability of each related thread.
    comments_of: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
    threads_of: dict[int, dict[str, float]] = defaultdict(dict)
    ids = (batch.column(name) for name in ("query_id", "candidate_id", "thread_id"))
    for row, (query, query_id, candidate, thread) in enumerate(zip(batch.question.tolist(), *ids, strict=True)):
        if (query, thread, candidate) in comment_scores:
            comments_of[query, thread].append((row, candidate))
        if (query, query_id, thread) in question_scores:
            threads_of[query][thread] = question_scores[query, query_id, thread]
    ordered_threads = {query: _descending(scores) for query, scores in threads_of.items()}
    paths = {}
    for (query, thread), candidates in comments_of.items():
        if thread not in threads_of[query]:
            continue
        probabilities = {candidate: comment_scores[query, thread, candidate] for _, candidate in candidates}
        comments, threads = _descending(probabilities), ordered_threads[query]
        question_probability = threads_of[query][thread]
        log_question, best_question = _log(question_probability), _log(threads_of[query][threads[0]])
        for row, candidate in candidates:
            log_comment = _log(probabilities[candidate])
            paths[row] = {
                "log_comment": log_comment,
                "log_question": log_question,
                "log_path": log_comment + log_question,
                "log_path_twice": log_comment + 2 * log_question,
                "product": probabilities[candidate] * question_probability,
                "comment_place": 1 + comments.index(candidate),
                "question_place": 1 + threads.index(thread),
                "question_relative": log_question - best_question,
                "comment_relative": log_comment - _log(probabilities[comments[0]]),
            }
    return paths


def scores_of(batch: QueryBatch, task: str) -> dict[tuple[int, str, str], float]:
    """The scores of a task by question of the batch, scored query and scored candidate."""
    columns = (batch.scores[name].to_pylist() for name in ("task", "of_query", "candidate_id", "score"))
    rows = zip(batch.question_of(batch.scores).tolist(), *columns, strict=True)
    return {
        (question, of_query, candidate): score
        for question, of_task, of_query, candidate, score in rows
        if of_task == task
    }


def _descending(probabilities: Mapping[str, float]) -> list[str]:
    """Ids by descending probability; ties are broken by id."""
    return sorted(probabilities, key=lambda item_id: (-probabilities[item_id], item_id))


_KELP = (
    "Filice et al. 2016, KeLP at SemEval-2016 Task 3: the classifier of subtask A applied to the original question and "
    "the comment"
)


class DirectScoreV1(QueryGroup):
    """The probability that the comment answers the query, by the upstream system of the task question_comment.

    That system was trained on comments below their own questions; here it scores the comment against the query. Scores
    of training threads are out-of-fold.
    """

    name = "direct_score_v1"
    family = "rank"
    about = "score of the comment as an answer to the query itself, by the system for task A"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("log_probability", "ln of the probability that the comment answers the query", _KELP, -3.0),
        FeatureColumn("relative", "log_probability minus the largest of the query's", "ours", -3.0),
    )
    needs = ("scores",)
    reads_texts = False
    reads_shortcut = True

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair; NaN without an upstream score."""
        scores = scores_of(batch, QuestionComment.name)
        ids = zip(batch.question.tolist(), batch.column("query_id"), batch.column("candidate_id"), strict=True)
        logs = np.array([_log(scores[key]) if key in scores else np.nan for key in ids])
        best = np.full(len(batch), -np.inf)
        np.fmax.at(best, batch.query, logs)
        return {"log_probability": logs, "relative": logs - best[batch.query]}


_TEAMS = "Nakov et al. 2016, SemEval-2016 Task 3, section 6.3: SUper Team and SemanticZ"


class RankedPathV1(QueryGroup):
    """Probability for the task question_comment, from the upstream system, divided by the rank of the thread.

    Ranks are those of the search engine's list before threads were filtered, so they have gaps.
    """

    name = "ranked_path_v1"
    family = "rank"
    about = "score of the comment by a system for task A, times the reciprocal rank of its thread"
    entity = Entity.PAIR
    columns = (
        FeatureColumn(
            "product", "probability that the comment answers its own thread's question / rank of the thread", _TEAMS
        ),
    )
    needs = ("scores",)
    reads_texts = False

    def compute(self, batch: QueryBatch) -> Values:
        """Values of each pair; NaN without an upstream score."""
        scores = scores_of(batch, QuestionComment.name)
        pairs = zip(batch.query.tolist(), batch.column("thread_id"), batch.column("candidate_id"), strict=True)
        ranks = np.maximum(1, np.array(batch.column("initial_rank")) // RANKS_PER_THREAD)
        return {"product": filled(map(scores.get, pairs)) / ranks}
