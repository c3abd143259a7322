"""BasicU: the answerer's account, contributions and votes."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_batch import CONTRIBUTIONS, AuthorBatch, EventKind
from cqa_spark.features.group import AuthorGroup, Entity, FeatureColumn, Values
from cqa_spark.features.history.dump_state import SNAPSHOT_CAUTION, DumpState

_XU = "Xu et al. 2018, Table 2, BasicU"

_Compute = Callable[[AuthorBatch], ArrayLike]


def _registered(batch: AuthorBatch) -> Reals:
    """Seconds since 1970; NaN where the author has no account yet."""
    return np.where(batch.has(EventKind.REGISTERED), batch.known(EventKind.REGISTERED) / 1e6, np.nan)


def _known(kind: EventKind) -> _Compute:
    return lambda batch: batch.known(kind)


def _elsewhere(kind: EventKind) -> _Compute:
    return lambda batch: batch.elsewhere(kind)


def _points(batch: AuthorBatch) -> Reals:
    return np.where(batch.has(EventKind.REPUTATION), batch.known(EventKind.REPUTATION), np.nan)


def _rebuilt_points(batch: AuthorBatch) -> ArrayLike:
    up, down, accepted = (batch.elsewhere(kind) for kind in (EventKind.UP, EventKind.DOWN, EventKind.ACCEPTED))
    return np.maximum(1, 1 + 10 * up - 2 * down + 15 * accepted)


def _registered_by_then(batch: AuthorBatch) -> ArrayLike:
    registered = _registered(batch)
    return np.where(registered <= batch.time[batch.moments] / 1e6, registered, np.nan)


_SNAPSHOT: Mapping[FeatureColumn, _Compute] = {
    FeatureColumn("created", "time of registration, seconds since 1970", _XU, is_time=True): _registered,
    FeatureColumn("up_votes", "up votes received", _XU): _known(EventKind.UP),
    FeatureColumn("down_votes", "down votes received", _XU): _known(EventKind.DOWN),
    FeatureColumn("reputation", "points at the time of the dump", _XU, 1.0): _points,
    FeatureColumn("questions", "questions asked", _XU): _known(EventKind.ASKED),
    FeatureColumn("answers", "answers given, also several to one question", _XU): _known(EventKind.ANSWERED),
    FeatureColumn("accepted", "answers that their questions name as accepted", _XU): _known(EventKind.CHOSEN),
    FeatureColumn("comments", "comments made", _XU): _known(EventKind.COMMENTED),
}
"""Each column with the function that computes it at the end of the dump."""

_AS_OF: Mapping[FeatureColumn, _Compute] = {
    FeatureColumn(
        "created", "time of registration, seconds since 1970; unknown if it was after the cut", _XU, is_time=True
    ): _registered_by_then,
    FeatureColumn("up_votes", "up votes received in other threads before the cut", _XU): _elsewhere(EventKind.UP),
    FeatureColumn("down_votes", "down votes received in other threads before the cut", _XU): _elsewhere(EventKind.DOWN),
    FeatureColumn(
        "reputation",
        "1 + 10 per up vote - 2 per down vote + 15 per acceptance, at least 1, from the columns of this group",
        _XU,
        1.0,
    ): _rebuilt_points,
    FeatureColumn("questions", "questions asked before the cut", _XU): _elsewhere(EventKind.ASKED),
    FeatureColumn("answers", "answers given in other threads before the cut", _XU): _elsewhere(EventKind.ANSWERED),
    FeatureColumn(
        "accepted", "answers in other threads accepted before the cut; acceptances count from the end of the day", _XU
    ): _elsewhere(EventKind.ACCEPTED),
    FeatureColumn("comments", "comments made in other threads before the cut", _XU): _elsewhere(EventKind.COMMENTED),
}
"""Each column with the function that computes it at the cut."""


class BasicUSnapshotV1(AuthorGroup):
    """The account as the dump shows it; its reputation contains the acceptance that is to be predicted."""

    name = "basic_u_snapshot_v1"
    family = "user"
    about = "account, reputation and activity of the answerer, at the time of the dump"
    entity = Entity.AUTHOR
    columns = tuple(_SNAPSHOT)
    needs = ("users", "votes")
    reads = frozenset(
        {EventKind.REGISTERED, EventKind.REPUTATION, EventKind.CHOSEN, *CONTRIBUTIONS} - {EventKind.ACCEPTED}
    )
    caution = SNAPSHOT_CAUTION

    def compute(self, batch: AuthorBatch) -> Values:
        """Counts over the whole dump."""
        return {feature.name: compute(batch) for feature, compute in _SNAPSHOT.items()}


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
    columns = tuple(_AS_OF)
    needs = ("users", "votes")
    reads = frozenset({EventKind.REGISTERED, *CONTRIBUTIONS})
    is_as_of = True
    as_of_dump = frozenset({DumpState.DELETED_ACCOUNTS})

    def compute(self, batch: AuthorBatch) -> Values:
        """Counts up to the cut."""
        return {feature.name: compute(batch) for feature, compute in _AS_OF.items()}
