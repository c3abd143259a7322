"""Base classes of groups whose fitted state is one object, which saves itself, or gives numbered columns names."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from cqa_spark.features.group import FittedQueryGroup, LearningGroup
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


State = TypeVar("State", bound=FittedState)


class StateGroup(FittedQueryGroup, Generic[State]):
    """A query group with one object as its fitted state.

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
    """A group with numbered columns, such as the site's first tag; fitting gives the numbers names."""

    @abstractmethod
    def meanings(self) -> Mapping[str, str]:
        """The meanings of the columns whose number has one name, by column."""
