"""Parameter search: trials with their results, the conclusion, and the score of the choice itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from cqa_spark.errors import ConfigError
from cqa_spark.experiments.cross_validation import (
    CrossValidated,
    cross_validate,
    cross_validate_by_fold,
    fold_number,
    nested_folds,
)
from cqa_spark.experiments.experiment import Part
from cqa_spark.lake.run import Run
from cqa_spark.rankers.ranker import Ranker
from cqa_spark.rankers.registry import RankerSpec, build_ranker
from cqa_spark.rankers.tuning_ranges import draw, search_space, with_values
from cqa_spark.reports.kit.wording import SIGNIFICANT, p_value, points, signed_points
from cqa_spark.runtime.mlflow import LoggedTrial
from cqa_spark.settings.experiments import SearchSettings
from cqa_spark.settings.sections import FeatureSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.systems.system import System

GIVEN = "given"


@dataclass(frozen=True)
class Trial:
    """One set of parameters.

    Attributes:
        name: ``given``, or ``trial`` and a number.
        values: the drawn parameters, by path; empty for the given ones.
        ranker: the ranker with these parameters.
        results: result of the cross-validation; None before it.
    """

    name: str
    values: Mapping[str, float | int]
    ranker: RankerSpec
    results: CrossValidated | None = None

    def build(self) -> Ranker[Any]:
        """A ranker with these parameters."""
        return build_ranker(self.ranker.name, self.ranker.parameters)

    def cross_validated(self, parts: Sequence[Sequence[Part]], measure: str) -> Trial:
        """The trial with its results on the folds of each repeat, by a measure."""
        return replace(self, results=cross_validate(self.build(), parts, name=self.name, measure=measure))

    @property
    def mean(self) -> float:
        """Mean over the repeats, a fraction."""
        return self.results.mean if self.results else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation over the repeats, a fraction."""
        return self.results.spread if self.results else math.nan

    def logged(self) -> LoggedTrial:
        """The trial as logged to MLflow."""
        repeats = self.results.values if self.results else ()
        return LoggedTrial(self.name, self.values, {"mean": self.mean, "spread": self.spread}, repeats)

    def line(self, measure: str) -> str:
        """The trial in one line."""
        drawn = ", ".join(f"{path} {value}" for path, value in self.values.items()) or "as the recipe says"
        return f"{self.name:<10}{measure} {points(self.mean)} ± {points(self.spread)}  {drawn}"


def planned_trials(system: System, *, budget: int, seed: int) -> Iterator[Trial]:
    """The given parameters, followed by drawn ones.

    Raises:
        ConfigError: the ranker declares no range.
    """
    space = search_space(system.ranker.name, system.ranker.parameters)
    if not space:
        raise ConfigError(
            f"system {system.name}: the ranker {system.ranker.name} has no parameter with a range",
            "tune a system with a trainable ranker",
        )
    yield Trial(GIVEN, {}, system.ranker)
    for number in range(1, budget + 1):
        values = draw(space, Random(f"{seed}:{number}"))
        changed = with_values(system.ranker.parameters, values)
        yield Trial(f"trial {number}", values, system.ranker.model_copy(update={"parameters": changed}))


def chosen(trials: Sequence[Trial]) -> Trial:
    """The trial with the highest mean; the earliest in a tie, so that a tie keeps the given parameters."""
    return max(trials, key=lambda trial: trial.mean)


def verdict(recipe: Trial, best: Trial, measure: str, p: float | None) -> str:
    """The conclusion of the search, in sentences.

    Args:
        recipe: the trial of the recipe's own parameters.
        best: the best trial, which may be that of the recipe.
        measure: display name of the measure.
        p: p-value of the paired test between the two over queries; None if they are the same.
    """
    lines = [recipe.line(measure)]
    if best is recipe or p is None:
        return "\n".join([*lines, "No trial is better than the given parameters: keep them."])
    difference, spread = best.mean - recipe.mean, math.hypot(recipe.spread, best.spread)
    beyond_folds, beyond_chance = difference > spread, p < SIGNIFICANT
    lines.append(best.line(measure))
    folds = "beyond" if beyond_folds else "inside"
    chance = "which is statistically significant" if beyond_chance else "which is not statistically significant"
    lines.append(
        f"The difference of {signed_points(difference)} points is {folds} the spread of the repeats "
        f"({points(spread)}); over queries {p_value(p)}, {chance}."
    )
    if beyond_folds and beyond_chance:
        lines.append("The best trial is better. As the best of many, its score is slightly optimistic.")
    else:
        lines.append("There is no evidence that the best trial is better: keep the given parameters.")
    return "\n".join(lines)


def nested_verdict(recipe: float, choice: float, measure: str, p: float) -> str:
    """The score of the choice itself, in a sentence.

    Args:
        recipe: the measure of the recipe's parameters, a fraction.
        choice: the measure of the parameters chosen for each fold on the other folds, over the same queries.
        measure: display name of the measure.
        p: p-value of the paired test between the two over queries.
    """
    return (
        f"Nested cross-validation, where each fold is ranked by the choice of the other folds: {measure} "
        f"{points(choice)}, the given parameters {points(recipe)} ({signed_points(choice - recipe)}, {p_value(p)})."
    )


CHOICE = "choice"
"""Name of the chosen rankers in the measured queries."""


def cross_validate_choice(
    run: Run,
    system: System,
    trials: Sequence[Trial],
    outer: Sequence[Part],
    *,
    search: SearchSettings,
    features: FeatureSettings,
    measure: str,
) -> CrossValidated:
    """Rank the queries of each fold by the trial that is best by cross-validation within the other folds.

    The mean of the best trial is optimistic, because it is the best of many on these queries; this one is not.

    Args:
        run: a run with computed feature groups.
        system: the system of the trials.
        trials: what is chosen from.
        outer: the folds of the first repeat of the search.
        search: folds, repeats and seed of the search; the folds within the other folds have the next seed.
        features: folds of the cross-fitting within each fold, and the cut of as-of groups.
        measure: display name of the measure.

    Source:
        Varma and Simon 2006, Bias in error estimation when using cross-validation for model selection, BMC
        Bioinformatics 7; Cawley and Talbot 2010, On over-fitting in model selection, JMLR 11.
    """
    folds, repeats, seed = search.folds, search.repeats, search.seed + 1
    rankers = []
    for number in range(folds):
        others = fold_number(folds, search.seed) != number
        with (
            persistence_scope(),
            nested_folds(run, [system], features, folds=folds, repeats=repeats, seed=seed, among=others) as parts_of,
        ):
            inner = parts_of(system)
            rankers.append(chosen([trial.cross_validated(inner, measure) for trial in trials]).build())
    return cross_validate_by_fold([rankers], [outer], name=CHOICE, measure=measure)
