"""UTags: how the answerer's answers and accepted answers are distributed over the site's top tags."""

import numpy as np
import pyarrow as pa

from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_batch import AuthorBatch, EventKind, Longs
from cqa_spark.features.group import AuthorGroup, Entity, Marked, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION, DumpState
from cqa_spark.features.learned_group import numbered_columns
from cqa_spark.features.top_tags import TAG_SLOTS, TopTagsGroup, by_slot, tags_by_score, tags_by_votes

_XU = "Xu et al. 2018, Table 2, UTags"


class _UTags(TopTagsGroup, AuthorGroup):
    """Base class of both variants."""

    family = "user_tags"
    numbered = (
        ("answered", "share of {} among the numbered tags of the user's answers"),
        ("accepted", "share of {} among the numbered tags of the user's accepted answers"),
    )
    columns = numbered_columns(numbered, "the site's tag number {}", TAG_SLOTS, _XU)
    marked = Marked.TAGS

    def mark(self, rows: pa.Table) -> Longs:
        """The slots of questions' tags, as bits."""
        return self.state.masks(rows)

    def shares(self, answered: Longs, accepted: Longs) -> Values:
        """Shares of tags, from numbers of shape (moments, slots); all 0 for none of the tags."""
        return self.by_column([*_share(answered).T, *_share(accepted).T])

    def by_tag(self, batch: AuthorBatch, kind: EventKind) -> Longs:
        """Number of the author's earlier rows of a kind with each slot's tag, of shape (moments, slots)."""
        marks = batch.marks[self.name]
        rows = batch.rows(kind)
        rows = rows[marks[rows] != 0]
        return batch.totals(f"{self.name}_{kind.name}", rows, batch.count[rows, None] * by_slot(marks[rows]))


class UTagsSnapshotV1(_UTags):
    """All answers in the dump, including those in the example's own thread."""

    name = "u_tags_snapshot_v1"
    about = "tags of the answerer's answers and accepted answers, at the time of the dump"
    entity = Entity.AUTHOR
    reads = frozenset({EventKind.ANSWERED, EventKind.CHOSEN})
    caution = SNAPSHOT_CAUTION
    learn = staticmethod(tags_by_score)

    def compute(self, batch: AuthorBatch) -> Values:
        """Shares of tags; all 0 for none of the tags."""
        return self.shares(self.by_tag(batch, EventKind.ANSWERED), self.by_tag(batch, EventKind.CHOSEN))


class UTagsAsOfV1(_UTags):
    """Answers and acceptances before the cut, in other threads.

    The tags of a question are those at the time of the dump, because posts have no history of their tags.
    """

    name = "u_tags_asof_v1"
    about = "tags of the answerer's answers and accepted answers in other threads, as known at the cut"
    entity = Entity.PAIR
    needs = ("votes",)
    reads = frozenset({EventKind.ANSWERED, EventKind.ACCEPTED})
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS, DumpState.DELETED_ACCOUNTS})
    learn = staticmethod(tags_by_votes)

    def compute(self, batch: AuthorBatch) -> Values:
        """Shares of tags; all 0 for none of the tags."""
        # All answers of a thread have its tags, so each of them adds the same to every tag.
        here = by_slot(batch.marks_at(self.name))
        answered, accepted = (
            self.by_tag(batch, kind) - here * batch.own[kind][:, None]
            for kind in (EventKind.ANSWERED, EventKind.ACCEPTED)
        )
        return self.shares(answered, accepted)


def _share(counts: Longs) -> Reals:
    shares: Reals = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    return shares
