"""Feature importances, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from cqa_spark.reports.explanation.content import feature_label


@dataclass(frozen=True)
class FeatureImportance:
    """The importance of a feature in a learned system.

    Attributes:
        system: name of the system.
        group: feature group.
        feature: name of the feature within the group.
        importance: share of the total importance, a fraction.
        direction: 1 if larger values raise the score, -1 if they lower it, 0 if unknown.
        about: meaning of the feature; empty if unknown.
    """

    system: str
    group: str
    feature: str
    importance: float
    direction: int
    about: str = ""

    @property
    def label(self) -> str:
        """Group and meaning, or the name where the meaning is unknown."""
        return feature_label(self.group, self.about) if self.about else self.feature
