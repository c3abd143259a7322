"""QTags: distribution of the question over the site's top tags."""

from collections.abc import Mapping
from typing import Self

import numpy as np

from cqa_spark.features.arrays import values_at
from cqa_spark.features.group import Entity, FeatureColumn, FittedQueryGroup, Values
from cqa_spark.features.history.dump_state import SNAPSHOT_CAUTION, DumpState
from cqa_spark.features.history.top_tags import TAG_SLOTS, TopTags, by_slot, tags_by_score, tags_by_votes
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.state_group import NumberedGroup
from cqa_spark.features.training_data import Fitted, TrainingData
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder

_XU = "Xu et al. 2018, Table 2, QTags, and footnote 5"
_TAGS = "tags.json"


def _about(tag: str) -> str:
    return f"share of {tag} among the question's tags that have a number"


class _QTags(FittedQueryGroup, NumberedGroup):
    """Base class of both variants.

    Args:
        tags: the sites' tags in order.
    """

    columns = tuple(
        FeatureColumn(f"tag_{slot:02}", _about(f"the site's tag number {slot}"), _XU)
        for slot in range(1, TAG_SLOTS + 1)
    )
    entity = Entity.QUESTION
    learns_from_labels = False
    reads_texts = False
    reads_comments = False
    post_columns = ("tags",)

    def __init__(self, tags: TopTags) -> None:
        self.tags = tags

    def compute(self, batch: QueryBatch) -> Values:
        """Shares of tags; all 0 if the question has no top tag."""
        slots = by_slot(self.tags.masks(batch.posts))
        shares = slots / np.maximum(1, slots.sum(axis=1, keepdims=True))
        return {
            feature.name: values_at(batch.query_post, share)
            for feature, share in zip(self.columns, shares.T, strict=True)
        }

    def meanings(self) -> Mapping[str, str]:
        """The shares of the named tags."""
        return {f"tag_{slot:02}": _about(f"the tag {name}") for slot, name in enumerate(self.tags.names(), start=1)}

    def save(self, folder: NewModelFolder) -> None:
        """Write the order of the tags."""
        folder.write_json(_TAGS, self.tags)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the order of the tags."""
        return cls(folder.read_json(_TAGS, TopTags))


class QTagsSnapshotV1(_QTags):
    """Tags at the time of the dump, numbered by the scores of their questions."""

    name = "q_tags_snapshot_v1"
    family = "tags"
    about = "distribution of the question over the tags with the highest scores at the time of the dump"
    caution = SNAPSHOT_CAUTION

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Order the tags by the score of their questions at the time of the dump."""
        return Fitted(cls(training.derive(tags_by_score)))


class QTagsAsOfV1(_QTags):
    """Tags numbered by the votes known at the last cut of the training part.

    The question's tags are those at the time of the dump, because posts have no history of their tags.
    """

    name = "q_tags_asof_v1"
    family = "tags"
    about = "distribution of the question over the tags with the most votes at the end of training"
    needs = ("votes",)
    is_as_of = True
    as_of_dump = frozenset({DumpState.EDITS})

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Order the tags by the votes that were known at the last cut of the training examples."""
        return Fitted(cls(training.derive(tags_by_votes)))
