"""The record of the answer's author: earlier answers, how many were accepted, and votes."""

import numpy as np

from cqa_spark.features.author_batch import AuthorBatch, EventKind
from cqa_spark.features.group import AuthorGroup, Entity, FeatureColumn, Values
from cqa_spark.features.history.dump_state import DumpState


class AuthorRecordAsOfV1(AuthorGroup):
    """Counts in other threads, as known at the cut, on scales that compare authors: logarithms and smoothed shares."""

    name = "author_record_asof_v1"
    family = "user"
    about = "earlier answers of the author, acceptances and votes, as known at the cut, other threads only"
    entity = Entity.PAIR
    columns = (
        FeatureColumn("answers", "answers, logarithm", "ours"),
        FeatureColumn("accepted", "accepted answers, logarithm", "ours"),
        FeatureColumn("accepted_share", "share of the answers that were accepted, smoothed by 1 of 3", "ours", 1 / 3),
        FeatureColumn("votes", "up minus down votes for all posts, at least 0, logarithm", "ours"),
        FeatureColumn("votes_per_answer", "up minus down votes for all posts, over 2 plus the answers", "ours"),
    )
    needs = ("votes",)
    reads = frozenset({EventKind.ANSWERED, EventKind.ACCEPTED, EventKind.UP, EventKind.DOWN})
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    def compute(self, batch: AuthorBatch) -> Values:
        """Counts up to the cut."""
        answers, accepted, up, down = (
            batch.elsewhere(kind) for kind in (EventKind.ANSWERED, EventKind.ACCEPTED, EventKind.UP, EventKind.DOWN)
        )
        return {
            "answers": np.log1p(answers),
            "accepted": np.log1p(accepted),
            "accepted_share": (accepted + 1) / (answers + 3),
            "votes": np.log1p(np.maximum(0, up - down)),
            "votes_per_answer": (up - down) / (answers + 2),
        }
