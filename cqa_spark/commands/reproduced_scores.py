"""Scores predictions for the parts of a data set by the official gold labels, beside the published scores."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from cqa_spark.evaluation.evaluate import evaluate, standard_errors
from cqa_spark.evaluation.files.scores import mean_correlation
from cqa_spark.evaluation.files.semeval import (
    COMPARED_TRUNCATED_MEASURES,
    OFFICIAL_MEASURES,
    population,
    ranked_file,
    read_official,
    truncated_ranking,
)
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures.pearson import Pearson
from cqa_spark.object_store.locations import local_source
from cqa_spark.reports.sections.reproduction import MEASURE, Reproduced
from cqa_spark.settings.datasets import DataSet
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.systems.recipes import at_random
from cqa_spark.systems.reproduced_figures import ERRORS, POPULATIONS, VALUES, Figures
from cqa_spark.systems.system import System
from cqa_spark.task_contract.contract import task as task_named

SCORES = "scores.json"
"""Name of the file of figures, beside the prediction files."""

MEAN = "mean"
"""In place of a part's name: the mean over the parts."""

Scores = tuple[dict[str, float], dict[str, float]]
"""Values and standard errors by measure, fractions."""


@dataclass(frozen=True)
class EvaluatedPart:
    """A part of a data set.

    Attributes:
        name: its name, the split of its queries.
        input: file with the queries.
        gold: official file of their relevance judgments; None if there is none.
    """

    name: str
    input: Path
    gold: Path | None

    def is_there(self) -> bool:
        """Whether there are queries to rank."""
        return self.input.exists()

    def missing(self, task: str, predictions: str) -> str:
        """What is missing for scoring these predictions; empty if nothing is."""
        if not self.is_there():
            return f"there is no {self.input.name} in {self.input.parent}: nothing was ranked"
        if self.gold is None or not self.gold.is_file():
            command = "cqa evaluate-file --task sts" if task_named(task).grades_pairs else "cqa evaluate-file"
            return f"there is no gold: score {predictions} with {command} GOLD {predictions}"
        return ""


def score_parts(
    system: System, data: DataSet, predictions: Mapping[EvaluatedPart, str], storage: ObjectStorageSettings
) -> Iterator[Reproduced]:
    """Score a system on each part of a data set, then by the mean over the parts if that is the official score.

    Args:
        system: the system.
        data: the data set.
        predictions: file of the system's predictions for each part, local or in a bucket.
        storage: object storage settings.
    """
    missing = {part: part.missing(system.task, path) for part, path in predictions.items()}
    with ExitStack() as copies:
        files = {
            part: (part.gold, copies.enter_context(local_source(path, storage)))
            for part, path in predictions.items()
            if part.gold is not None and not missing[part]
        }
        for part, problem in missing.items():
            scores = _measured(system, *files[part]) if part in files else None
            outcome = _beside_published(system, data, part.name, scores, problem)
            if part in files and MEASURE in task_named(system.task).measures:
                outcome = replace(outcome, population=population(read_official(files[part][0]), MEASURE))
            yield outcome
        if data.mean is not None:
            unscored = ", ".join(part.name for part, problem in missing.items() if problem)
            mean = None if unscored else _mean(files.values(), data.mean)
            yield _beside_published(system, data, MEAN, mean, unscored and f"there is no score of {unscored}")


def scores_json(results: Sequence[Reproduced], earlier: Figures = MappingProxyType({})) -> str:
    """A file of figures: values and standard errors, fractions, and populations; what was not measured is left out.

    Args:
        results: the results; blanks in the names of their parts become underscores, as in ``expected`` of a recipe.
        earlier: contents of a file of figures; its entries stay, unless the results have the same system and part.
    """
    sections = (VALUES, ERRORS, POPULATIONS)
    values, errors, populations = (dict[str, Any](earlier.get(section, {})) for section in sections)
    for result in results:
        part = result.part.replace(" ", "_")
        for of_systems, scores in ((values, result.ours), (errors, result.errors)):
            if scores:
                of_systems[result.system] = {**of_systems.get(result.system, {}), part: scores}
        if result.population is not None:
            populations[f"{part}_{result.task}"] = result.population
    figures = dict(zip(sections, (values, errors, populations), strict=True))
    return json.dumps(figures, indent=2, sort_keys=True) + "\n"


def _beside_published(system: System, data: DataSet, part: str, scores: Scores | None, missing: str) -> Reproduced:
    published = system.expected.get(f"{data.name}_{part}")
    values, errors = scores or ({}, {})
    return Reproduced(
        system.name,
        system.task,
        f"{data.name} {part}",
        faithfulness=system.faithfulness or "",
        ours=values,
        errors=errors,
        published=published.measures if published else {},
        source=published.source if published else "",
        missing=missing,
    )


def _measured(system: System, gold: Path, predictions: Path) -> Scores:
    """The official measures of the system's task."""
    if task_named(system.task).grades_pairs:
        return _mean([(gold, predictions)], "weighted")
    by_chance = system.name in at_random([system])
    measures: Sequence[str | Measure] = [each.measure for each in OFFICIAL_MEASURES]
    files = read_official(gold), read_official(predictions)
    ranking = ranked_file(*files)
    if {*COMPARED_TRUNCATED_MEASURES} <= {*task_named(system.task).measures}:
        ranking, measures = truncated_ranking(*files), COMPARED_TRUNCATED_MEASURES
    values = evaluate(ranking, measures, at_random=by_chance)
    errors = standard_errors(ranking, measures, at_random=by_chance)
    return {name: value for name, value in values.items() if value is not None}, errors


def _mean(files: Iterable[tuple[Path, Path]], weights: Literal["weighted", "unweighted"]) -> Scores:
    value, error = mean_correlation(list(files), weighted=weights == "weighted")
    return {str(Pearson()): value}, {str(Pearson()): error}
