"""The base class of the settings of every command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from cqa_spark.config.sections import SettingsSection


class Command(SettingsSection):
    """The settings of a command.

    Attributes:
        examples: command lines at the end of the help text.
        needs: dotted keys that must be set although they have a default.
    """

    examples: ClassVar[tuple[str, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def required(cls, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The dotted keys that must be set, given the other settings."""
        return cls.needs

    @classmethod
    def contradictions(cls, given: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield (key, problem, remedy) for every setting that contradicts another."""
        return iter(())

    def reads(self) -> list[str]:
        """Descriptions of the inputs, for ``--dry-run``."""
        return []

    def writes(self) -> list[str]:
        """Descriptions of the outputs, for ``--dry-run``."""
        return []
