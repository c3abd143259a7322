"""Scales of labels, and the similarities from 0 to 5 that labels stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EQUIVALENT = 5.0
"""The largest similarity; the least is 0."""


class UnreadablePair(Exception):
    """A record that is not a pair; the message goes to the quarantine."""


@dataclass(frozen=True)
class Scale:
    """The labels of a layout.

    Attributes:
        low: the score of unrelated texts.
        high: the score of equivalent texts.
        classes: similarities of labels that are classes instead of scores, in lower case.
    """

    low: float = 0
    high: float = EQUIVALENT
    classes: Mapping[str, float] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """The labels, for messages."""
        return ", ".join(self.classes) if self.classes else f"a number from {self.low:g} to {self.high:g}"

    def similarity(self, label: str) -> float | None:
        """The similarity that a label stands for: scores are mapped linearly; None for an empty label.

        Raises:
            UnreadablePair: the label is not of the scale.
        """
        text = label.strip().lower()
        if not text:
            return None
        if self.classes:
            if text not in self.classes:
                raise UnreadablePair(f"the label is {label!r}; known labels: {self.about}")
            return self.classes[text]
        try:
            score = float(text)
        except ValueError:
            score = float("nan")
        if not self.low <= score <= self.high:
            raise UnreadablePair(f"the score is {label!r}, not {self.about}")
        return (score - self.low) * (EQUIVALENT / (self.high - self.low))

    def has(self, label: str) -> bool:
        """Whether a label is of the scale or empty."""
        try:
            self.similarity(label)
        except UnreadablePair:
            return False
        return True


SIMILARITY = Scale()
"""Scores of the STS tasks (Agirre et al. 2012)."""

RELATEDNESS = Scale(1, 5)
"""Scores of SICK (Marelli et al. 2014)."""

DUPLICATE = Scale(
    classes=dict.fromkeys(("duplicate", "true", "1"), EQUIVALENT) | dict.fromkeys(("non-duplicate", "false", "0"), 0.0)
)
"""Whether the texts mean the same."""
