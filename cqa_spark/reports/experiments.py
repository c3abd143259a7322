"""What the experiments of a run found, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """A system that was trained in another way, measured on the same queries; fractions from 0 to 1.

    Attributes:
        system: the system.
        value: the main measure.
        low: lower end of its interval.
        high: upper end of its interval.
        confidence: coverage of the interval.
        difference: minus the full system; 0 for the full system itself.
        p_value: two-sided, of the paired test against the full system; 1 for itself.
    """

    system: str
    value: float
    low: float
    high: float
    confidence: float
    difference: float
    p_value: float


@dataclass(frozen=True)
class Ablation(Variant):
    """A system with fewer features.

    Attributes:
        variant: all, without or only.
        family: family of features that is left out or alone; empty for all.
        features: number of features that are left.
    """

    variant: str
    family: str
    features: int

    @property
    def name(self) -> str:
        """The variant for people, such as ``without quality``."""
        return {"all": "all features", "only": f"{self.family} alone"}.get(self.variant, f"without {self.family}")


@dataclass(frozen=True)
class CurvePoint(Variant):
    """A system with less training data.

    Attributes:
        share: share of the training threads, above 0 to 1.
        threads: number of training threads.
        examples: number of labelled training examples.
    """

    share: float
    threads: int
    examples: int


@dataclass(frozen=True)
class CrossValidation(Variant):
    """A system by repeated cross-validation on the training part; difference and p-value are against the best one.

    Attributes:
        spread: standard deviation over the repeats.
        best: the system with the highest mean.
        queries: number of training queries.
        repeats: number of cross-validations.
        folds: folds of each.
    """

    spread: float
    best: str
    queries: int
    repeats: int
    folds: int


def systems_of(variants: tuple[Variant, ...]) -> tuple[str, ...]:
    """The systems that were experimented with, each once, in order."""
    return tuple(dict.fromkeys(variant.system for variant in variants))


def in_reading_order(ablations: tuple[Ablation, ...]) -> tuple[Ablation, ...]:
    """All features first, then without each family (the greatest loss first), then each alone (the best first)."""
    rank = {"all": 0, "without": 1, "only": 2}
    return tuple(
        sorted(
            ablations,
            key=lambda each: (rank[each.variant], each.value * (-1 if each.variant == "only" else 1), each.family),
        )
    )
