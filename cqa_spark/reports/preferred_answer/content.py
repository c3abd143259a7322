"""Results of the preferred-answer experiment, as plain values; all measures are fractions from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.reports.preferred_answer.labels import looks_ahead


@dataclass(frozen=True)
class Figure:
    """One measure of one system on one site, or on ``EVERY`` site, with its interval.

    Attributes:
        system: name of the system.
        site: name of the site.
        measure: name of the measure.
        value: value of the measure.
        low: lower bound of its interval.
        high: upper bound of its interval.
        queries: number of questions in the evaluation.
        difference: system minus best baseline.
        p_value: two-sided, from the paired test against the best baseline.
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
    """The paired comparison of two systems on the main measure."""

    system: str
    baseline: str
    difference: float
    p_value: float


@dataclass(frozen=True)
class Transfer:
    """A system on one site, or on ``EVERY`` site, trained on all sites, on its own, or on the others."""

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
    """The result of a parameter search for a system, by the main measure on the validation split.

    Attributes:
        system: name of the system.
        tried: number of trials, including the default parameters of the recipe.
        given: value with the default parameters.
        parameters: chosen values by parameter path; empty if the default parameters are best.
        value: value with the chosen parameters.
        low: lower bound of its interval.
        high: upper bound of its interval.
        difference: chosen minus default parameters.
        p_value: two-sided, from the paired test against the default parameters.
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
class Attention:
    """Attention weights of a question and its preferred answer, by a system that was not trained on them.

    Attributes:
        system: name of the system.
        site: site of the question.
        query_id: id of the question.
        candidate_id: id of the answer.
        query_words: words of the question, in order.
        candidate_words: words of the answer, in order.
        weights: before softmax, a row per word of the question, one after the other.
    """

    system: str
    site: str
    query_id: str
    candidate_id: str
    query_words: Sequence[str]
    candidate_words: Sequence[str]
    weights: Sequence[float]

    def normalised(self) -> list[list[float]]:
        """The weights scaled to [0, 1], a list per word of the question; all 0 if they are equal."""
        low, high = min(self.weights), max(self.weights)
        scaled = [(weight - low) / (high - low) if high > low else 0.0 for weight in self.weights]
        columns = len(self.candidate_words)
        return [scaled[start : start + columns] for start in range(0, len(scaled), columns)]


@dataclass(frozen=True)
class AnswerStudy:
    """The whole experiment.

    Attributes:
        part: split of the evaluation: test, or cross-validated for all questions.
        baseline: best baseline.
        measures: measures in order; the first is the main measure.
        figures: values of all systems, measures and sites.
        contrasts: comparisons of learned systems with every baseline, and of snapshot with as-of features.
        transfers: results of the transfer between sites; empty without such an experiment.
        searches: results of the parameter search.
        attentions: attention weights of a pair; empty without a system that reads words.
    """

    part: str
    baseline: str
    measures: tuple[str, ...]
    figures: tuple[Figure, ...]
    contrasts: tuple[Contrast, ...]
    transfers: tuple[Transfer, ...] = ()
    searches: tuple[Search, ...] = ()
    attentions: tuple[Attention, ...] = ()

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
        """The best system that uses no information from after the cut; the page presents it first."""
        return next(system for system in self.systems if not looks_ahead(system))

    def figure(self, system: str, site: str, measure: str) -> Figure:
        """The value of a system on a site."""
        return next(f for f in self.figures if (f.system, f.site, f.measure) == (system, site, measure))

    def contrast(self, system: str, baseline: str) -> Contrast | None:
        """The comparison of two systems; None if they were not compared."""
        return next((c for c in self.contrasts if (c.system, c.baseline) == (system, baseline)), None)
