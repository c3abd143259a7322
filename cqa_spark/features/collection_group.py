"""Base class of groups fitted on document frequencies of terms."""

from typing import Self

from cqa_spark.features.batch_texts import Texts
from cqa_spark.features.group import FittedQueryGroup
from cqa_spark.features.query_batch import QueryBatch
from cqa_spark.features.state_group import StateGroup
from cqa_spark.features.training_data import Fitted, TrainingData, learned_texts
from cqa_spark.text.terms import Collection, WeighedTexts


class CollectionGroup(StateGroup[Collection], FittedQueryGroup):
    """Base class of groups that weight terms by their rarity in the training and unannotated texts.

    Args:
        state: the counts.
    """

    learns_from_labels = False
    state_type = Collection
    terms = "stems"
    """The array column of the table ``texts`` whose items are the terms."""

    @classmethod
    def fit(cls, training: TrainingData) -> Fitted[Self]:
        """Share the counts with the other groups of the same terms."""
        return Fitted(cls(training.derive(collection_of, cls.terms)))

    def weighed(self, batch: QueryBatch) -> WeighedTexts:
        """The weighted terms of the batch's texts."""
        return batch.texts.derive(_weigh, self.state, self.terms)


def collection_of(training: TrainingData, unit: str) -> Collection:
    """Count the terms of the training and unannotated texts; pass it to ``TrainingData.derive``.

    Args:
        training: the training part.
        unit: an array column of the table ``texts``; its items are the terms.
    """
    return Collection.of(learned_texts(training.inputs), unit)


def _weigh(texts: Texts, collection: Collection, unit: str) -> WeighedTexts:
    return collection.weigh(texts.unit(unit))
