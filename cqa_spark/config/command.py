"""What the settings of every command have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from cqa_spark.config.sections import Section


class Command(Section):
    """The settings of a command.

    Attributes:
        examples: command lines that the help text ends with.
        needs: keys, with dots between the levels, that must be set although they have a default.
    """

    examples: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def required(cls, given: Mapping[str, Any]) -> tuple[str, ...]:
        """Keys that must be set, in view of the settings that are given."""
        return cls.needs

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """(key, what is wrong, remedy) for every given setting that does not fit another."""
        return iter(())

    def reads(self) -> list[str]:
        """What the command would read, for people."""
        return []

    def writes(self) -> list[str]:
        """What the command would write, for people."""
        return []
