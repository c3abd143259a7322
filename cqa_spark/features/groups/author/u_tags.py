"""UTags: how the answerer's answers and accepted answers are distributed over the site's top tags."""

from collections.abc import Mapping
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from cqa_spark.features.arrays import Reals
from cqa_spark.features.author_batch import AuthorBatch, EventKind, Longs
from cqa_spark.features.group import Entity, FeatureColumn, FittedAuthorGroup, Marked, Values
from cqa_spark.features.history.dump_state import SNAPSHOT_CAUTION, DumpState
from cqa_spark.features.history.top_tags import TAG_SLOTS, TopTags, by_slot, tags_by_score, tags_by_votes
from cqa_spark.features.state_group import NumberedGroup
from cqa_spark.features.training_data import TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

_XU = "Xu et al. 2018, Table 2, UTags"
_KINDS = {"answered": "answers", "accepted": "accepted answers"}
_TAGS = "tags.json"


def _about(tag: str, what: str) -> str:
    return f"share of {tag} among the numbered tags of the user's {what}"


_FEATURES = tuple(
    FeatureColumn(f"{kind}_{slot:02}", _about(f"the site's tag number {slot}", what), _XU)
    for kind, what in _KINDS.items()
    for slot in range(1, TAG_SLOTS + 1)
)


class _UTags(FittedAuthorGroup, NumberedGroup):
    """Base class of both variants; fitting assigns tags to slots.

    Args:
        tags: the top tags of each site, in order.
    """

    marked = Marked.TAGS
    columns = _FEATURES

    def __init__(self, tags: TopTags) -> None:
        self.tags = tags

    def mark(self, rows: pa.Table) -> Longs:
        """The slots of questions' tags, as bits."""
        return self.tags.masks(rows)

    def meanings(self) -> Mapping[str, str]:
        """The shares of the named tags."""
        return {
            f"{kind}_{slot:02}": _about(f"the tag {name}", what)
            for kind, what in _KINDS.items()
            for slot, name in enumerate(self.tags.names(), start=1)
        }

    def save(self, folder: NewModelFolder) -> None:
        """Write the order of the tags."""
        folder.write_json(_TAGS, self.tags)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the order of the tags."""
        return cls(folder.read_json(_TAGS, TopTags))

    def by_tag(self, batch: AuthorBatch, kind: EventKind) -> Longs:
        """Number of the author's earlier rows of a kind with each slot's tag, of shape (moments, slots)."""
        marks = batch.marks[self.name]
        rows = batch.rows(kind)
        rows = rows[marks[rows] != 0]
        return batch.totals(f"{self.name}_{kind.name}", rows, batch.count[rows, None] * by_slot(marks[rows]))


class UTagsSnapshotV1(_UTags):
    """All answers in the dump, including those in the example's own thread."""

    name = "u_tags_snapshot_v1"
    family = "user_tags"
    about = "tags of the answerer's answers and accepted answers, at the time of the dump"
    entity = Entity.AUTHOR
    reads = frozenset({EventKind.ANSWERED, EventKind.CHOSEN})
    caution = SNAPSHOT_CAUTION

    @classmethod
    def fit(cls, training: TrainingData) -> Self:
        """Order the tags by the score of their questions at the time of the dump."""
        return cls(training.derive(tags_by_score))

    def compute(self, batch: AuthorBatch) -> Values:
        """Shares of tags; all 0 for none of the tags."""
        return _shares(self.by_tag(batch, EventKind.ANSWERED), self.by_tag(batch, EventKind.CHOSEN))


class UTagsAsOfV1(_UTags):
    """Answers and acceptances before the cut, in other threads.

    The tags of a question are those at the time of the dump, because posts have no history of their tags.
    """

    name = "u_tags_asof_v1"
    family = "user_tags"
    about = "tags of the answerer's answers and accepted answers in other threads, as known at the cut"
    entity = Entity.PAIR
    needs = ("votes",)
    reads = frozenset({EventKind.ANSWERED, EventKind.ACCEPTED})
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS, DumpState.DELETED_ACCOUNTS})

    @classmethod
    def fit(cls, training: TrainingData) -> Self:
        """Order the tags by the votes that were known at the last cut of the training examples."""
        return cls(training.derive(tags_by_votes))

    def compute(self, batch: AuthorBatch) -> Values:
        """Shares of tags; all 0 for none of the tags."""
        # All answers of a thread have its tags, so each of them adds the same to every tag.
        here = by_slot(batch.marks_at(self.name))
        answered, accepted = (
            self.by_tag(batch, kind) - here * batch.own[kind][:, None]
            for kind in (EventKind.ANSWERED, EventKind.ACCEPTED)
        )
        return _shares(answered, accepted)


def _shares(answered: Longs, accepted: Longs) -> dict[str, ArrayLike]:
    shares = np.concatenate([_share(answered), _share(accepted)], axis=1)
    return {feature.name: column for feature, column in zip(_FEATURES, shares.T, strict=True)}


def _share(counts: Longs) -> Reals:
    shares: Reals = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    return shares
