"""What the experiment on preferred answers found, as plain values; all measures are fractions from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.preferred_answer.labels import looks_ahead


@dataclass(frozen=True)
class Figure:
    """One measure of one system on one site, or on ``EVERY`` one, with its interval.

    Attributes:
        system: the system.
        site: the site.
        measure: the measure as it prints.
        value: its value.
        low: lower end of its interval.
        high: upper end of its interval.
        queries: questions that were measured on.
        difference: minus the best baseline.
        p_value: two-sided, of the paired test against the best baseline.
    """

    system: str
    site: str
    measure: str
    value: float
    low: float
    high: float
    queries: int
    difference: float
    p_value: float


@dataclass(frozen=True)
class Contrast:
    """A system against another one on the main measure, question by question."""

    system: str
    baseline: str
    difference: float
    p_value: float


@dataclass(frozen=True)
class Transfer:
    """A system on one site, or on ``EVERY`` one, by what it was trained on: all sites, its own, or the others."""

    system: str
    site: str
    trained_on: str
    value: float
    low: float
    high: float
    difference: float
    p_value: float


@dataclass(frozen=True)
class Search:
    """What a search for parameters chose for a system, by the main measure on the validation part.

    Attributes:
        system: the system.
        tried: number of trials, the recipe's own parameters among them.
        given: what the recipe's own parameters reach.
        parameters: what was drawn, by path; empty where the recipe's own are best.
        value: what the chosen ones reach.
        low: lower end of its interval.
        high: upper end of its interval.
        difference: the chosen minus the given.
        p_value: two-sided, of the paired test against the given ones.
    """

    system: str
    tried: int
    given: float
    parameters: Mapping[str, float | int]
    value: float
    low: float
    high: float
    difference: float
    p_value: float


@dataclass(frozen=True)
class AnswerStudy:
    """The whole experiment.

    Attributes:
        part: what was measured on: test, or cross-validated: every question, by models of the other folds.
        baseline: the best baseline.
        measures: in order; the first is the main one.
        figures: of all systems, measures and sites.
        contrasts: learned systems against every baseline, and snapshot against as-of.
        transfers: empty where there is one site, or where nothing was transferred.
        searches: of the systems whose parameters were searched.
    """

    part: str
    baseline: str
    measures: tuple[str, ...]
    figures: tuple[Figure, ...]
    contrasts: tuple[Contrast, ...]
    transfers: tuple[Transfer, ...] = ()
    searches: tuple[Search, ...] = ()

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites, in alphabetical order."""
        return tuple(sorted({figure.site for figure in self.figures} - {EVERY}))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the main measure over all sites."""
        main = [each for each in self.figures if (each.site, each.measure) == (EVERY, self.measures[0])]
        return tuple(each.system for each in sorted(main, key=lambda each: (-each.value, each.system)))

    @property
    def leading(self) -> str:
        """The best system of those that do not look ahead; the page speaks of it first."""
        return next(system for system in self.systems if not looks_ahead(system))

    def figure(self, system: str, site: str, measure: str) -> Figure:
        """One of the figures."""
        return next(f for f in self.figures if (f.system, f.site, f.measure) == (system, site, measure))

    def contrast(self, system: str, baseline: str) -> Contrast | None:
        """One of the contrasts; None where the two were not compared."""
        return next((c for c in self.contrasts if (c.system, c.baseline) == (system, baseline)), None)
