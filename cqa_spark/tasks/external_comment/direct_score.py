"""Score of a comment as a direct answer to the new question, by a system for subtask A."""

from math import log

import numpy as np

from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.tasks.external_comment.path_scores import scores_of
from cqa_spark.tasks.question_comment import QuestionComment

_KELP = (
    "Filice et al. 2016, KeLP at SemEval-2016 Task 3: the classifier of subtask A applied to the original question and "
    "the comment"
)
_LEAST = 1e-6


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
        logs = np.array([log(max(scores[key], _LEAST)) if key in scores else np.nan for key in ids])
        best = np.full(len(batch), -np.inf)
        np.fmax.at(best, batch.query, logs)
        return {"log_probability": logs, "relative": logs - best[batch.query]}
