"""A fitted group whose knowledge is how many texts hold each term."""

from __future__ import annotations

from typing import ClassVar, Self

from cqa_spark.features.group import FittedFeatureGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.learned_texts import learned_texts
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder
from cqa_spark.text.terms import Collection


class CollectionGroup(FittedFeatureGroup):
    """Base of groups that weigh terms by their rarity in the training and unannotated texts.

    Args:
        collection: the counts; None before the group is fitted.
    """

    learns_from_labels: ClassVar[bool] = False
    terms: ClassVar[str] = "stems"
    """The array column of the table ``texts`` whose items are the terms."""

    def __init__(self, collection: Collection | None = None) -> None:
        self._collection = collection

    @property
    def collection(self) -> Collection:
        """How many texts hold each term.

        Raises:
            ContractError: the group is not fitted.
        """
        return self.require_fitted(self._collection)

    def fit(self, inputs: FeatureInputs) -> Self:
        """Count the distinct texts of the training and unannotated documents, whatever the examples."""
        return type(self)(Collection.of(learned_texts(inputs), self.terms))

    def save(self, folder: NewModelFolder) -> None:
        """Write the counts."""
        self.collection.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the counts."""
        return cls(Collection.load(folder))
