"""Results of the preferred-answer experiment; all measures are fractions from 0 to 1."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cqa_spark.lake.journal import Entry
from cqa_spark.lake.schemas.community import EVERY
from cqa_spark.lake.schemas.examples import CROSS_VALIDATED
from cqa_spark.reports.kit.wording import counted
from cqa_spark.reports.reported_run import from_entry
from cqa_spark.reports.sections.experiments import Ablation, SeedValues
from cqa_spark.reports.sections.xu_2018.published import looks_ahead


@dataclass(frozen=True)
class Figure:
    """A measure of a system on a site, or on ``EVERY`` site, its interval, and its test against the best baseline."""

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

    @property
    def chosen(self) -> str:
        """The chosen parameters, as text."""
        return ", ".join(f"{path} {value}" for path, value in self.parameters.items()) or "default"


@dataclass(frozen=True)
class AttentionExample:
    """Attention of a question and its preferred answer, by a system that was not trained on them.

    The weights, before softmax, are a row per word of the question, one after the other.
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
        ablations: each system without each feature family and on each alone.
        seeds: each system trained with several seeds.
    """

    part: str
    baseline: str
    measures: tuple[str, ...]
    figures: tuple[Figure, ...]
    contrasts: tuple[Contrast, ...]
    transfers: tuple[Transfer, ...] = ()
    searches: tuple[Search, ...] = ()
    attentions: tuple[AttentionExample, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    seeds: tuple[SeedValues, ...] = ()

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites, in alphabetical order."""
        return tuple(sorted({figure.site for figure in self.figures} - {EVERY}))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the main measure over all sites."""
        main = [figure for figure in self.figures if (figure.site, figure.measure) == (EVERY, self.measures[0])]
        return tuple(figure.system for figure in sorted(main, key=lambda figure: (-figure.value, figure.system)))

    @property
    def leading(self) -> str:
        """The best system that uses no information from after the cut; the page presents it first."""
        return next(system for system in self.systems if not looks_ahead(system))

    @property
    def evaluation_set(self) -> str:
        """The questions of the evaluation, with their number."""
        questions = counted(self.figure(self.baseline, EVERY, self.measures[0]).queries, "question")
        if self.part == CROSS_VALIDATED:
            return f"all {questions}, by cross-validation"
        return f"{questions} of the {self.part} split"

    def figure(self, system: str, site: str, measure: str) -> Figure:
        """The value of a system on a site."""
        return next(f for f in self.figures if (f.system, f.site, f.measure) == (system, site, measure))

    def contrast(self, system: str, baseline: str) -> Contrast | None:
        """The comparison of two systems; None if they were not compared."""
        return next((c for c in self.contrasts if (c.system, c.baseline) == (system, baseline)), None)


def collect_study(journal: Mapping[str, Sequence[Entry]], measures: Sequence[str]) -> AnswerStudy:
    """Collect the results.

    Args:
        journal: entries of site_metrics and comparisons, and of transfers, trials and attentions if there are any.
        measures: measures in order; the first is the main measure.
    """
    figures = journal["site_metrics"]
    contrasts = _of_measure(journal["comparisons"], measures[0])
    transfers = _of_measure(journal.get("transfers", ()), measures[0])
    return AnswerStudy(
        part=figures[0]["split"],
        baseline=figures[0]["baseline"],
        measures=tuple(measures),
        figures=tuple(from_entry(Figure, entry) for entry in figures),
        contrasts=tuple(from_entry(Contrast, entry) for entry in contrasts),
        transfers=tuple(from_entry(Transfer, entry) for entry in transfers),
        searches=tuple(_searches(journal.get("trials", ()))),
        attentions=tuple(
            from_entry(AttentionExample, entry) for entry in journal.get("attentions", ()) if entry["weights"]
        ),
    )


def _searches(trials: Sequence[Entry]) -> Iterator[Search]:
    for system in sorted({entry["system"] for entry in trials}):
        of_system = [entry for entry in trials if entry["system"] == system]
        chosen = next(entry for entry in of_system if entry["chosen"])
        yield Search(
            system=system,
            tried=len(of_system),
            # Differences are against the default parameters.
            given=chosen["value"] - chosen["difference"],
            parameters=json.loads(chosen["parameters"]),
            **{name: chosen[name] for name in ("value", "low", "high", "difference", "p_value")},
        )


def _of_measure(entries: Sequence[Entry], measure: str) -> list[Entry]:
    return [entry for entry in entries if entry["measure"] == measure]
