"""Base classes of groups that learn: an object as state, numbered columns, facts about authors, term frequencies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import pyarrow as pa
from pydantic import BaseModel, ConfigDict
from pyspark.sql import DataFrame

from cqa_spark.features.arrays import ABSENT, Indices, Mask, codes
from cqa_spark.features.author_facts import AuthorFacts
from cqa_spark.features.group import FeatureColumn, FittedQueryGroup, LearningGroup
from cqa_spark.features.inputs import FeatureInputs
from cqa_spark.features.query_batch import QueryBatch, Texts
from cqa_spark.features.training_data import Fitted, TrainingData, learned_texts
from cqa_spark.lake.model_folder import ModelFolder, NewModelFolder
from cqa_spark.text.terms import Collection, WeighedTexts


class FittedState(Protocol):
    """The result of fitting, in formats that contain data only."""

    def save(self, folder: NewModelFolder) -> None:
        """Write it."""

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read it.

        Raises:
            ContractError: the saved state cannot be used.
        """


class JsonState(BaseModel):
    """A fitted state in one JSON file.

    Attributes:
        file: its name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: ClassVar[str]

    def save(self, folder: NewModelFolder) -> None:
        """Write the file."""
        folder.write_json(self.file, self)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the file."""
        return folder.read_json(cls.file, cls)


State = TypeVar("State", bound=FittedState)


class StateGroup(LearningGroup, Generic[State]):
    """A group with one object as its fitted state.

    Args:
        state: the object.

    Attributes:
        state_type: its class.
    """

    state_type: ClassVar[type[FittedState]]

    def __init__(self, state: State) -> None:
        self.state = state

    def save(self, folder: NewModelFolder) -> None:
        """Write the state."""
        self.state.save(folder)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the state."""
        return cls(cls.state_type.load(folder))  # type: ignore[arg-type]  # of the subclass


class NumberedGroup(LearningGroup):
    """A group with numbered columns, such as the site's first tag; fitting gives the numbers names.

    Attributes:
        numbered: prefixes of columns, each with their meaning, in which ``{}`` stands for the thing with the number.
    """

    numbered: ClassVar[tuple[tuple[str, str], ...]]

    @abstractmethod
    def names(self) -> Sequence[str]:
        """The things with the numbers from 1, in order, such as "the tag wine"; empty if a number has several names."""

    def meanings(self) -> Mapping[str, str]:
        """The meanings of the columns whose number has one name, by column."""
        slots = len(self.columns) // len(self.numbered)
        return {
            self.columns[start * slots + slot].name: about.format(name)
            for start, (_, about) in enumerate(self.numbered)
            for slot, name in enumerate(self.names())
        }


def numbered_columns(
    numbered: Iterable[tuple[str, str]], unnamed: str, slots: int, source: str
) -> tuple[FeatureColumn, ...]:
    """The columns of a numbered group: for each prefix, one for each number.

    Args:
        numbered: as for ``NumberedGroup``.
        unnamed: the thing with a number, before fitting gives it a name; ``{}`` stands for the number.
        slots: the highest number.
        source: of all columns.
    """
    return tuple(
        FeatureColumn(f"{prefix}_{slot:0{len(str(slots))}}", about.format(unnamed.format(slot)), source)
        for prefix, about in numbered
        for slot in range(1, slots + 1)
    )


LEARNED = "learned"
"""The name of the table in a model folder."""


class LearnedFactsGroup(FittedQueryGroup):
    """Base class of groups that learn facts about authors; the facts grow with the community and are saved as Parquet.

    Args:
        learned: as ``AuthorFacts.of_people``.
    """

    reads_texts = False

    def __init__(self, learned: DataFrame) -> None:
        self.learned = learned

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the table; workers receive the facts with the examples."""
        return {name: value for name, value in vars(self).items() if name != "learned"}

    def facts(self, inputs: FeatureInputs) -> AuthorFacts | None:
        """The fitted facts."""
        return AuthorFacts(self.learned)

    def save(self, folder: NewModelFolder) -> None:
        """Write the table."""
        folder.write_table(LEARNED, self.learned)

    @classmethod
    def load(cls, folder: ModelFolder) -> Self:
        """Read the table."""
        return cls(folder.read_table(LEARNED))


def in_section(batch: QueryBatch, example: Indices, sections: pa.ChunkedArray) -> Mask:
    """Whether facts about authors are from the forum section of the candidate's thread.

    Args:
        batch: the examples.
        example: index of the example of each fact.
        sections: the section of each fact.
    """
    of_facts, of_examples = codes(sections, pa.chunked_array([pa.array(batch.category, pa.string())]))
    is_same: Mask = (of_facts == of_examples[example]) & (of_facts != ABSENT)
    return is_same


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
