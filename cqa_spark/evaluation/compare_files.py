"""Intervals and paired tests of official prediction files, without Spark; used by ``cqa compare-files``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

from cqa_spark.errors import InputError
from cqa_spark.evaluation.intervals import bootstrap_intervals
from cqa_spark.evaluation.measure import Measure
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.official_files import RankedFile, ranked_file
from cqa_spark.evaluation.ranked_query import RankedQuery
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED, Resampling
from cqa_spark.evaluation.significance import holm, randomization_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEASURES = ("MAP@10", "AvgRec@10", "MRR@10", "F1", "Accuracy")


@dataclass(frozen=True)
class FileComparison:
    """One measure of one prediction file, compared with the first one.

    A gold file predicts no labels: its measures of labels are NaN, and so are differences from them.

    Attributes:
        measure: display name of the measure, such as ``MAP@10``.
        file: path as given.
        queries: number of scored queries.
        value: the measure, a fraction.
        low: lower end of its interval.
        high: upper end of its interval.
        difference: the value minus that of the first file; 0 for the first file.
        p_value: two-sided, of the paired randomization test against the first file, adjusted by Holm for the number of
            files; 1 for the first file.
        williams: two-sided p-value of Williams' test against the first file, adjusted in the same way; NaN unless the
            measure is one correlation.
    """

    measure: str
    file: str
    queries: int
    value: float
    low: float
    high: float
    difference: float
    p_value: float
    williams: float = nan


def compare_files(
    gold: Path,
    predictions: Sequence[Path],
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> list[FileComparison]:
    """Evaluate prediction files, with intervals, and test each against the first.

    Args:
        gold: official file of judgments.
        predictions: official prediction files of the same queries; the gold file stands for the order that the task
            gives.
        resamples: of the bootstrap and of the randomization test.
        confidence: coverage of the intervals.
        seed: of the resampling.

    Returns:
        Measure by measure, the files in the order given.

    Raises:
        InputError: a file cannot be parsed, or the files rank different queries.
    """
    ranked = [ranked_file(gold, prediction) for prediction in predictions]
    first = ranked[0].queries
    for prediction, file in zip(predictions, ranked, strict=True):
        if file.queries.keys() != first.keys():
            raise InputError(
                f"{prediction} and {predictions[0]} rank different queries: {len(file.queries)} and {len(first)}",
                "a paired test needs the same queries: compare files of one data set",
            )
    drawn = Resampling(resamples, seed, confidence)
    measures = [*map(parse_measure, MEASURES)]
    of_order = [measure for measure in measures if not measure.uses_labels]
    of_labels = [measure for measure in measures if measure.uses_labels]
    return [
        *_compare(of_order, ranked, predictions, drawn),
        *_compare_labels(of_labels, ranked, predictions, drawn),
    ]


def to_json(found: Sequence[FileComparison]) -> str:
    """The comparisons as a JSON array, in full precision; null for NaN."""
    rows = [
        {name: None if isinstance(value, float) and isnan(value) else value for name, value in asdict(each).items()}
        for each in found
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def components_of(
    measures: Sequence[Measure], ranked: Sequence[Sequence[RankedQuery]]
) -> dict[Measure, NDArray[np.float64]]:
    """Additive components of the queries of several files, shape (files, queries, components), by measure.

    Args:
        measures: measures to compute.
        ranked: the queries of each file, all in one order.
    """
    import numpy as np

    return {measure: np.array([measure.components_of(queries) for queries in ranked]) for measure in measures}


def compare_components(
    components: Mapping[Measure, NDArray[np.float64]],
    predictions: Sequence[Path | str],
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> Iterator[FileComparison]:
    """Intervals of each file, and a test of each against the first.

    Args:
        components: additive components, shape (files, queries, components), by measure.
        predictions: the files, or names of rankings.
        resamples: of the bootstrap and of the randomization test.
        confidence: coverage of the intervals.
        seed: of the resampling.

    Yields:
        Measure by measure, the files in the order given.
    """
    others = {measure: of_files[1:] for measure, of_files in components.items()}
    first = {measure: of_files[0] for measure, of_files in components.items()}
    ends = bootstrap_intervals(components, resamples=resamples, seed=seed, confidence=confidence)
    tests = randomization_test(others, first, resamples=resamples, seed=seed)
    for measure, of_files in components.items():
        values = [measure.total(map(tuple, rows)) for rows in of_files]
        p_values = [1.0, *holm(tests[measure])]
        for file, value, low, high, p_value in zip(predictions, values, *ends[measure][:2], p_values, strict=True):
            yield FileComparison(
                str(measure), str(file), of_files.shape[1], value, float(low), float(high), value - values[0],
                float(p_value),
            )  # fmt: skip


def _compare(
    measures: Sequence[Measure], ranked: Sequence[RankedFile], predictions: Sequence[Path], drawn: Resampling
) -> Iterator[FileComparison]:
    order = sorted(ranked[0].queries)
    components = components_of(measures, [[file.queries[query] for query in order] for file in ranked])
    return compare_components(components, predictions, **drawn._asdict())


def _compare_labels(
    measures: Sequence[Measure], ranked: Sequence[RankedFile], predictions: Sequence[Path], drawn: Resampling
) -> Iterator[FileComparison]:
    """Compare the files that predict labels; the others have no values."""
    predicting = [number for number, file in enumerate(ranked) if file.predicts_labels]
    files, paths = [ranked[number] for number in predicting], [predictions[number] for number in predicting]
    compared = _compare(measures, files, paths, drawn) if files else ()
    by_file = {(each.measure, each.file): each for each in compared}
    for measure in map(str, measures):
        for file, prediction in zip(ranked, map(str, predictions), strict=True):
            if not file.predicts_labels:
                yield FileComparison(measure, prediction, len(file.queries), nan, nan, nan, nan, nan)
            elif ranked[0].predicts_labels:
                yield by_file[measure, prediction]
            else:
                yield replace(by_file[measure, prediction], difference=nan, p_value=nan)
