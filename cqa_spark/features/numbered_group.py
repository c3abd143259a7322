"""Base class of groups whose columns are numbered slots."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from cqa_spark.features.group import LearningGroup


class NumberedGroup(LearningGroup):
    """A group with numbered columns, such as the site's first tag; fitting gives the numbers names."""

    @abstractmethod
    def meanings(self) -> Mapping[str, str]:
        """The meanings of the columns whose number has one name, by column."""
