"""Scores of official prediction files, without Spark; used by ``cqa evaluate-file``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.official_files import RankedFile, ranked_file
from cqa_spark.evaluation.population import in_words, population
from cqa_spark.evaluation.random_orders import expected_components
from cqa_spark.evaluation.ranked_query import RankedQuery

if TYPE_CHECKING:
    from cqa_spark.process.terminal import TextTable

OFFICIAL_MEASURES = {
    "map": "MAP@10",
    "avg_rec": "AvgRec@10",
    "mrr": "MRR@10",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "accuracy": "Accuracy",
}
"""The measures of the official scorer, by their names in ``FileScores``."""


class FileScores(TypedDict):
    """The official measures of one prediction file, as fractions in full precision.

    ``file`` is the path as given, ``queries`` the number of scored queries. Measures of labels are None for a gold
    file, which predicts none.
    """

    file: str
    queries: int
    map: float
    avg_rec: float
    mrr: float
    precision: float | None
    recall: float | None
    f1: float | None
    accuracy: float | None


def evaluate_file(gold: Path, prediction: Path, *, at_random: bool = False) -> FileScores:
    """Score a prediction file as the official scorer of SemEval Task 3 does.

    Args:
        gold: the official gold.
        prediction: the predictions, or the gold, for the order that the task gives.
        at_random: whether to compute the expectation over all orders, for a random ranking.

    Raises:
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    ranked = ranked_file(gold, prediction)
    scores: dict[str, float | None] = dict.fromkeys(OFFICIAL_MEASURES)
    for name, measure in _measures(ranked).items():
        scores[name] = measure.total(_components(measure, ranked.queries, at_random))
    return FileScores(file=str(prediction), queries=len(ranked.queries), **scores)  # type: ignore[typeddict-item]


def standard_errors(gold: Path, prediction: Path, *, at_random: bool = False) -> dict[str, float]:
    """Standard errors of the official measures over queries, by bootstrap; fractions, by display name.

    Args:
        gold: the official gold.
        prediction: the predictions.
        at_random: as for ``evaluate_file``.

    Raises:
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    import numpy as np

    ranked = ranked_file(gold, prediction)
    components = {
        measure: np.array([list(_components(measure, ranked.queries, at_random))])
        for measure in _measures(ranked).values()
    }
    return {str(measure): float(found.standard_error[0]) for measure, found in bootstrap_intervals(components).items()}


def _measures(ranked: RankedFile) -> dict[str, Measure]:
    """The official measures that the file has values of, by their names in ``FileScores``."""
    measures = {name: parse_measure(written) for name, written in OFFICIAL_MEASURES.items()}
    return {name: each for name, each in measures.items() if ranked.predicts_labels or not each.uses_labels}


def _components(measure: Measure, queries: Mapping[str, RankedQuery], at_random: bool) -> Iterator[tuple[float, ...]]:
    """The components of each query, in the order of their ids."""
    for query in sorted(queries):
        ranked = queries[query]
        yield expected_components([measure], ranked, query)[0] if at_random else measure.components(ranked)


def evaluate_files(gold: Path, predictions: Sequence[Path]) -> list[FileScores]:
    """Score prediction files against one gold file, in the given order.

    Raises:
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    return [evaluate_file(gold, prediction) for prediction in predictions]


def to_json(scores: Sequence[FileScores]) -> str:
    """The scores as a JSON array, one object per prediction file."""
    return json.dumps(scores, indent=2, ensure_ascii=False)


def to_table(scores: Sequence[FileScores], gold: Path) -> TextTable:
    """The scores in percent, blank where a file has none, and what they can be compared with.

    Args:
        scores: scores of prediction files.
        gold: their gold file.
    """
    from cqa_spark.process.terminal import TextTable, number

    names = ("queries", "MAP", "AvgRec", "MRR", "P", "R", "F1", "Acc")
    judged = in_words(population(gold, OFFICIAL_MEASURES["map"]), "MAP")
    table = TextTable("file", *map(number, names), caption=f"in percent; --format json: fractions\n{judged}")
    for row in scores:
        fractions = [
            row["map"],
            row["avg_rec"],
            row["mrr"],
            row["precision"],
            row["recall"],
            row["f1"],
            row["accuracy"],
        ]
        table.add_row(Path(row["file"]).name, str(row["queries"]), *map(_percent, fractions))
    return table


def _percent(fraction: float | None) -> str:
    return "" if fraction is None else f"{100 * fraction:.2f}"
