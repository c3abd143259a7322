"""Reproduced and published results, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

OK = 0.005
"""Largest difference, a fraction, of results that count as equal."""

NEAR = 0.02
"""Largest difference, a fraction, of results that count as near: that of another tokeniser or solver, say."""


@dataclass(frozen=True)
class Reproduced:
    """One recipe on one split of its data set.

    Attributes:
        system: name of the recipe.
        task: name of the task.
        part: split of the data set, such as ``semeval2016 dev``.
        faithfulness: what the recipe is of the published system: faithful, partial or surrogate; empty if it is none.
        ours: reproduced value by measure, fractions; empty if it could not be measured.
        errors: standard error of the reproduced value by measure, fractions.
        published: published value by measure, fractions; empty if there is none.
        source: source of the published values.
        missing: what is missing for the reproduction; empty if nothing is.
    """

    system: str
    task: str
    part: str
    faithfulness: str = ""
    ours: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    published: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    missing: str = ""


@dataclass(frozen=True)
class About:
    """The notes of a recipe by heading, such as what it replaces."""

    system: str
    notes: Mapping[str, str]


def agreement(ours: float | None, published: float | None, faithfulness: str) -> str:
    """Whether a reproduced value is OK, near, or differs; empty if either is unknown, or the recipe is not faithful.

    A recipe that replaces or lacks parts of the published system may come near by chance.
    """
    if ours is None or published is None or faithfulness != "faithful":
        return ""
    apart = round(abs(ours - published), 6)  # published values have four digits
    return "OK" if apart <= OK else "near" if apart <= NEAR else "differs"
