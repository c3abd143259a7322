"""QTags: distribution of the question over the site's top tags."""

import numpy as np

from cqa_spark.features.arrays import values_at
from cqa_spark.features.group import Entity, FittedQueryGroup, Values
from cqa_spark.features.inputs import SNAPSHOT_CAUTION, DumpState
from cqa_spark.features.learned_group import numbered_columns
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.top_tags import TAG_SLOTS, TopTagsGroup, by_slot, tags_by_score, tags_by_votes

_XU = "Xu et al. 2018, Table 2, QTags, and footnote 5"


class _QTags(TopTagsGroup, FittedQueryGroup):
    """Base class of both variants."""

    family = "tags"
    numbered = (("tag", "share of {} among the question's tags that have a number"),)
    columns = numbered_columns(numbered, "the site's tag number {}", TAG_SLOTS, _XU)
    entity = Entity.QUESTION
    learns_from_labels = False
    reads_texts = False
    reads_comments = False
    post_columns = ("tags",)

    def compute(self, batch: QueryBatch) -> Values:
        """Shares of tags; all 0 if the question has no top tag."""
        slots = by_slot(self.state.masks(batch.posts))
        shares = slots / np.maximum(1, slots.sum(axis=1, keepdims=True))
        return self.by_column(values_at(batch.query_post, share) for share in shares.T)


class QTagsSnapshotV1(_QTags):
    """Tags at the time of the dump, numbered by the scores of their questions."""

    name = "q_tags_snapshot_v1"
    about = "distribution of the question over the tags with the highest scores at the time of the dump"
    caution = SNAPSHOT_CAUTION
    learn = staticmethod(tags_by_score)


class QTagsAsOfV1(_QTags):
    """Tags numbered by the votes known at the last cut of the training part.

    The question's tags are those at the time of the dump, because posts have no history of their tags.
    """

    name = "q_tags_asof_v1"
    about = "distribution of the question over the tags with the most votes at the end of training"
    needs = ("votes",)
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS})
    learn = staticmethod(tags_by_votes)
