"""The results of experiments, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """A variant of a system, evaluated on the same queries; all values are fractions from 0 to 1.

    Attributes:
        system: name of the system.
        value: main measure.
        low: lower bound of its interval.
        high: upper bound of its interval.
        confidence: confidence level of the interval.
        difference: variant minus full system; 0 for the full system itself.
        p_value: two-sided, from the paired test against the full system; 1 for the full system itself.
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
    """A system trained on a subset of its features.

    Attributes:
        variant: all, without or only.
        family: feature family that is left out or used alone; empty for all features.
        features: number of features used.
    """

    variant: str
    family: str
    features: int

    @property
    def name(self) -> str:
        """Name of the variant, such as ``without quality``."""
        return {"all": "all features", "only": f"{self.family} alone"}.get(self.variant, f"without {self.family}")


@dataclass(frozen=True)
class CurvePoint(Variant):
    """A system trained on a share of the training data.

    Attributes:
        share: share of the training threads, in (0, 1].
        threads: number of training threads.
        examples: number of labelled training examples.
    """

    share: float
    threads: int
    examples: int


@dataclass(frozen=True)
class CrossValidation(Variant):
    """A system in repeated cross-validation on the training split; the reference is the best system.

    Attributes:
        spread: standard deviation over the repeats.
        best: system with the highest mean.
        queries: number of training queries.
        repeats: number of cross-validations.
        folds: number of folds of each.
    """

    spread: float
    best: str
    queries: int
    repeats: int
    folds: int


@dataclass(frozen=True)
class SeedValues:
    """A system trained with several seeds.

    Attributes:
        system: name of the system.
        values: main measure for each seed, as fractions; the recipe's own seed first.
    """

    system: str
    values: tuple[float, ...]


def systems_of(variants: tuple[Variant, ...]) -> tuple[str, ...]:
    """The distinct systems, in order."""
    return tuple(dict.fromkeys(variant.system for variant in variants))


def in_reading_order(ablations: tuple[Ablation, ...]) -> tuple[Ablation, ...]:
    """All features first, then without each family (largest loss first), then each family alone (best first)."""
    rank = {"all": 0, "without": 1, "only": 2}
    return tuple(
        sorted(
            ablations,
            key=lambda each: (rank[each.variant], each.value * (-1 if each.variant == "only" else 1), each.family),
        )
    )
