"""The answerer's account, contributions and votes: BasicU of Xu et al., and a record on scales that compare authors."""

import numpy as np
from numpy.typing import ArrayLike

from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_batch import CONTRIBUTIONS, AuthorBatch, EventKind
from cqa_spark.features.group import AuthorGroup, Entity, FeatureColumn, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION, DumpState

_XU = "Xu et al. 2018, Table 2, BasicU"


def _registered(batch: AuthorBatch) -> Reals:
    """Seconds since 1970; NaN where the author has no account yet."""
    return np.where(batch.has(EventKind.REGISTERED), batch.known(EventKind.REGISTERED) / 1e6, np.nan)


def _points(batch: AuthorBatch) -> Reals:
    return np.where(batch.has(EventKind.REPUTATION), batch.known(EventKind.REPUTATION), np.nan)


def _rebuilt_points(batch: AuthorBatch) -> ArrayLike:
    up, down, accepted = (batch.elsewhere(kind) for kind in (EventKind.UP, EventKind.DOWN, EventKind.ACCEPTED))
    return np.maximum(1, 1 + 10 * up - 2 * down + 15 * accepted)


def _registered_by_then(batch: AuthorBatch) -> ArrayLike:
    registered = _registered(batch)
    return np.where(registered <= batch.time[batch.moments] / 1e6, registered, np.nan)


class BasicUSnapshotV1(AuthorGroup):
    """The account as the dump shows it; its reputation contains the acceptance that is to be predicted."""

    name = "basic_u_snapshot_v1"
    family = "user"
    about = "account, reputation and activity of the answerer, at the time of the dump"
    entity = Entity.AUTHOR
    columns = (
        FeatureColumn("created", "time of registration, seconds since 1970", _XU, is_time=True),
        FeatureColumn("up_votes", "up votes received", _XU),
        FeatureColumn("down_votes", "down votes received", _XU),
        FeatureColumn("reputation", "points at the time of the dump", _XU, 1.0),
        FeatureColumn("questions", "questions asked", _XU),
        FeatureColumn("answers", "answers given, also several to one question", _XU),
        FeatureColumn("accepted", "answers that their questions name as accepted", _XU),
        FeatureColumn("comments", "comments made", _XU),
    )
    needs = ("users", "votes")
    reads = frozenset(
        {EventKind.REGISTERED, EventKind.REPUTATION, EventKind.CHOSEN, *CONTRIBUTIONS} - {EventKind.ACCEPTED}
    )
    caution = SNAPSHOT_CAUTION

    def compute(self, batch: AuthorBatch) -> Values:
        """Counts over the whole dump."""
        return {
            "created": _registered(batch),
            "up_votes": batch.known(EventKind.UP),
            "down_votes": batch.known(EventKind.DOWN),
            "reputation": _points(batch),
            "questions": batch.known(EventKind.ASKED),
            "answers": batch.known(EventKind.ANSWERED),
            "accepted": batch.known(EventKind.CHOSEN),
            "comments": batch.known(EventKind.COMMENTED),
        }


class BasicUAsOfV1(AuthorGroup):
    """The account at the cut, without votes and contributions from the example's own thread.

    Reputation is recomputed from votes by today's rules. Bounties, the daily limit, edits, points from other sites and
    votes on deleted posts are missing, because the dumps do not contain them. Accepting one's own answer adds points
    here, but not on the site.
    """

    name = "basic_u_asof_v1"
    family = "user"
    about = "account, reputation and activity of the answerer, as known at the cut, other threads only"
    entity = Entity.PAIR
    columns = (
        FeatureColumn(
            "created", "time of registration, seconds since 1970; unknown if it was after the cut", _XU, is_time=True
        ),
        FeatureColumn("up_votes", "up votes received in other threads before the cut", _XU),
        FeatureColumn("down_votes", "down votes received in other threads before the cut", _XU),
        FeatureColumn(
            "reputation",
            "1 + 10 per up vote - 2 per down vote + 15 per acceptance, at least 1, from the columns of this group",
            _XU,
            1.0,
        ),
        FeatureColumn("questions", "questions asked before the cut", _XU),
        FeatureColumn("answers", "answers given in other threads before the cut", _XU),
        FeatureColumn(
            "accepted",
            "answers in other threads accepted before the cut; acceptances count from the end of the day",
            _XU,
        ),
        FeatureColumn("comments", "comments made in other threads before the cut", _XU),
    )
    needs = ("users", "votes")
    reads = frozenset({EventKind.REGISTERED, *CONTRIBUTIONS})
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    def compute(self, batch: AuthorBatch) -> Values:
        """Counts up to the cut."""
        return {
            "created": _registered_by_then(batch),
            "up_votes": batch.elsewhere(EventKind.UP),
            "down_votes": batch.elsewhere(EventKind.DOWN),
            "reputation": _rebuilt_points(batch),
            "questions": batch.elsewhere(EventKind.ASKED),
            "answers": batch.elsewhere(EventKind.ANSWERED),
            "accepted": batch.elsewhere(EventKind.ACCEPTED),
            "comments": batch.elsewhere(EventKind.COMMENTED),
        }


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
