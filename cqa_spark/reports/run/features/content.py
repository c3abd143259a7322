"""Feature importances, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FeatureImportance:
    """The importance of a feature in a learned system.

    Attributes:
        system: name of the system.
        group: feature group.
        feature: name of the feature within the group.
        importance: share of the total importance, a fraction.
        direction: 1 if larger values raise the score, -1 if they lower it, 0 if unknown.
    """

    system: str
    group: str
    feature: str
    importance: float
    direction: int
