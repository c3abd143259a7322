"""Base classes of groups whose fitted state is one object, which saves itself, or gives numbered columns names."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from cqa_spark.features.group import FeatureColumn, LearningGroup
from cqa_spark.model_folder.reading import ModelFolder
from cqa_spark.model_folder.writing import NewModelFolder


class FittedState(Protocol):
    """What fitting learned, in formats that contain data only."""

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
        numbered: prefixes of columns, each with their meaning, in which ``{}`` stands for what has the number.
    """

    numbered: ClassVar[tuple[tuple[str, str], ...]]

    @abstractmethod
    def names(self) -> Sequence[str]:
        """What has the numbers from 1, in order, such as "the tag wine"; empty if a number has several names."""

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
        unnamed: what has a number, before fitting gives it a name; ``{}`` stands for the number.
        slots: the highest number.
        source: of all columns.
    """
    return tuple(
        FeatureColumn(f"{prefix}_{slot:0{len(str(slots))}}", about.format(unnamed.format(slot)), source)
        for prefix, about in numbered
        for slot in range(1, slots + 1)
    )
