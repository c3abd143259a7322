"""Scores of truncated rankings in official files, those of subtask E, without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cqa_spark.errors import InputError
from cqa_spark.evaluation.compare_files import FileComparison, compare_components, components_of
from cqa_spark.evaluation.coverage import some
from cqa_spark.evaluation.evaluate_trec import Scores, totals
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.official_files import judged_queries, read_official
from cqa_spark.evaluation.ranked_query import RankedQuery
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED

MEASURES = ("TMAP", "OracleTMAP", "UncutTMAP")

EMPTY = "empty"
"""TMAP of a system that returns no candidate, for the same queries."""


def truncated_queries(gold: Path, prediction: Path) -> dict[str, RankedQuery]:
    """All queries of a gold file, ranked by a prediction file.

    A candidate that is not in the prediction file, or that follows one with the label false, is cut off; a query that
    is not in it has an empty ranking. The gold file stands for the order that the task gives, of which nothing is cut.

    Raises:
        InputError: a file cannot be parsed, or the prediction has candidates or queries that are not in the gold file.
    """
    judgments, predictions = read_official(gold), read_official(prediction)
    judged = {(row.query_id, row.candidate_id) for row in judgments}
    unknown = [row for row in predictions if (row.query_id, row.candidate_id) not in judged]
    if unknown:
        names = some(f"{row.candidate_id} of query {row.query_id}" for row in unknown)
        raise InputError(
            f"{prediction}: {len(unknown)} candidates are not in {gold}: {names}",
            "give the gold file of the same data, or rank only its candidates",
        )
    if set(predictions) <= set(judgments):
        predictions = [row._replace(relevant=True) for row in predictions]
    return judged_queries(judgments, predictions)


def evaluate_truncated(gold: Path, predictions: Sequence[Path]) -> list[Scores]:
    """TMAP of each file, of its order cut perfectly, of its order not cut, and of empty rankings; fractions.

    Raises:
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    scores: list[Scores] = []
    for prediction in predictions:
        queries = truncated_queries(gold, prediction)
        nothing = {name: RankedQuery([], [*query.judged]) for name, query in queries.items()}
        of_file = totals(queries, MEASURES) | {EMPTY: totals(nothing, MEASURES)["TMAP"]}
        scores.append({"file": str(prediction), "queries": len(queries), **of_file})
    return scores


def standard_errors(gold: Path, prediction: Path) -> dict[str, float]:
    """Standard errors of the measures over queries, by bootstrap; fractions, by display name.

    Raises:
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    queries = [*truncated_queries(gold, prediction).values()]
    ends = bootstrap_intervals(components_of([*map(parse_measure, MEASURES)], [queries]))
    return {str(measure): float(interval.standard_error[0]) for measure, interval in ends.items()}


def compare_truncated(
    gold: Path,
    predictions: Sequence[Path],
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> list[FileComparison]:
    """The measures of each file with intervals, and a paired test against the first.

    Raises:
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    ranked = [[*truncated_queries(gold, prediction).values()] for prediction in predictions]
    components = components_of([*map(parse_measure, MEASURES)], ranked)
    return list(compare_components(components, predictions, resamples=resamples, confidence=confidence, seed=seed))
