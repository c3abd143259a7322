"""Score below the comment's own question divided by the rank of the thread, as two teams of 2016 did for subtask C."""

import numpy as np

from cqa_spark.corpora.qatar_living.tables import RANKS_PER_THREAD
from cqa_spark.features.arrays import filled
from cqa_spark.features.group import Entity, FeatureColumn, QueryGroup, Values
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.tasks.external_comment.path_scores import scores_of
from cqa_spark.tasks.question_comment import QuestionComment

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
