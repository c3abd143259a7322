"""Measures and comparisons of rankings, given as files or mappings, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from cqa_spark.config.value_types import IR_DATASETS
from cqa_spark.errors import InputError
from cqa_spark.evaluation import judged_rankings
from cqa_spark.evaluation.compare_rankings import compare_rankings
from cqa_spark.evaluation.ir_datasets_qrels import catalogue_grades
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED, Resampling
from cqa_spark.evaluation.trec_files import read_qrels, read_run
from cqa_spark.evaluation.trec_rankings import MEASURES, Grades, Precision, RunScores, TrecOptions, judged

if TYPE_CHECKING:
    import pandas as pd

Judgments = str | PathLike[str] | Grades
"""A qrels file, ``irds:ID`` for a data set of ir_datasets, or the grade of each judged document by query."""

Ranking = str | PathLike[str] | RunScores
"""A run file, or the score of each document by query."""


def evaluate(
    qrels: Judgments,
    run: Ranking,
    measures: Sequence[str] = MEASURES,
    *,
    relevance_level: float = 1,
    precision: Precision = "double",
    judged_only: bool = False,
) -> dict[str, float]:
    """Evaluate a ranking as trec_eval does; every query of the judgments counts.

    Warnings are logged about queries without a ranking, which count 0, and without judgments, which are ignored.

    Args:
        qrels: judgments, as a file, a mapping, or an id of ir_datasets such as ``irds:antique/test``. Grades in a
            mapping may be fractions; nDCG uses them as they are. Negative grades are no judgments.
        run: the ranking; ties are ordered by id, descending.
        measures: names of measures, such as ``nDCG@10``.
        relevance_level: the lowest grade that counts as relevant: at 1, a grade of 0.5 does not. nDCG ignores it.
        precision: precision in which scores are compared: ``double``, as in trec_eval 10, or ``single``, as in
            trec_eval 9, pytrec_eval and ir_measures.
        judged_only: leave out documents without judgment.

    Returns:
        Fractions, by name of the measure.

    Raises:
        ConfigError: an unknown measure or precision, or a level that is not above 0.
        InputError: a file cannot be parsed, a grade or score is not a finite number, or no query is in both.
    """
    options = TrecOptions(relevance_level, precision, judged_only)
    ranking = judged(_grades(qrels), _scores(run), options, names=_names(qrels, run))
    values = judged_rankings.evaluate(ranking, measures)
    return {name: value for name, value in values.items() if value is not None}


def compare(
    qrels: Judgments,
    runs: Mapping[str, Ranking],
    measures: Sequence[str] = MEASURES,
    *,
    relevance_level: float = 1,
    precision: Precision = "double",
    judged_only: bool = False,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> pd.DataFrame:
    """Compare rankings with the first of them: bootstrap intervals and paired randomization tests over queries.

    Args:
        qrels: judgments.
        runs: rankings by name; the first is the baseline.
        measures: names of measures.
        relevance_level: as for ``evaluate``.
        precision: as for ``evaluate``.
        judged_only: as for ``evaluate``.
        resamples: number of resamples of the bootstrap and of the test.
        confidence: coverage of the intervals.
        seed: of the resampling.

    Returns:
        A row per measure and ranking: ``measure``, ``run``, ``queries``, ``value``, ``low``, ``high``, ``difference``
        from the first, and ``p_value``, adjusted by Holm.

    Raises:
        ConfigError: an unknown measure or precision, or a level that is not above 0.
        InputError: a file cannot be parsed, a grade or score is not a finite number, or no query is in both.
    """
    import pandas as pd

    options = TrecOptions(relevance_level, precision, judged_only)
    grades = _grades(qrels)
    rankings = [
        judged(grades, _scores(run), options, names=_names(qrels, run, name))._replace(name=name)
        for name, run in runs.items()
    ]
    comparisons = compare_rankings(rankings, measures, Resampling(resamples, seed, confidence))
    return pd.DataFrame([asdict(each) for each in comparisons]).drop(columns="williams").rename(columns={"file": "run"})


def _grades(qrels: Judgments) -> Grades:
    if isinstance(qrels, Mapping):
        return _finite(qrels, "grade")
    return catalogue_grades(str(qrels)) if str(qrels).startswith(IR_DATASETS) else read_qrels(Path(qrels))


def _scores(run: Ranking) -> RunScores:
    return _finite(run, "score") if isinstance(run, Mapping) else read_run(Path(run))


def _finite(values: Mapping[str, Mapping[str, float]], meaning: str) -> Mapping[str, Mapping[str, float]]:
    for query, of_query in values.items():
        for document, value in of_query.items():
            if not isfinite(value):
                raise InputError(
                    f"{meaning} {value} of document {document} of query {query} is not a finite number",
                    "leave the document out, or give it a number",
                )
    return values


def _names(qrels: Judgments, run: Ranking, name: str = "the run") -> tuple[str, str]:
    return (
        "the judgments" if isinstance(qrels, Mapping) else str(qrels),
        name if isinstance(run, Mapping) else str(run),
    )
