"""Measures and comparisons of rankings, given as files or mappings, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from cqa_spark.config.value_types import IR_DATASETS
from cqa_spark.evaluation.compare_files import compare_components, components_of
from cqa_spark.evaluation.evaluate_trec import MEASURES, judged, qrels_gains, run_scores, totals
from cqa_spark.evaluation.ir_datasets_qrels import catalogue_gains
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED

if TYPE_CHECKING:
    import pandas as pd

Judgments = str | PathLike[str] | Mapping[str, Mapping[str, int]]
"""A qrels file, ``irds:ID`` for a data set of ir_datasets, or the gain of each candidate by query."""

Ranking = str | PathLike[str] | Mapping[str, Mapping[str, float]]
"""A run file, or the score of each candidate by query."""


def evaluate(qrels: Judgments, run: Ranking, measures: Sequence[str] = MEASURES) -> dict[str, float]:
    """Evaluate a ranking as trec_eval does; every query of the judgments counts.

    Args:
        qrels: judgments, as a file, a mapping, or an id of ir_datasets such as ``irds:antique/test``; a candidate
            with a gain of at least 1 is relevant.
        run: the ranking; ties are ordered by id, descending.
        measures: names of measures, such as ``nDCG@10``.

    Returns:
        Fractions, by name of the measure.

    Raises:
        ConfigError: an unknown measure.
        InputError: a file cannot be parsed, or no query is in both.
    """
    return totals(judged(_gains(qrels), _scores(run)), measures)


def compare(
    qrels: Judgments,
    runs: Mapping[str, Ranking],
    measures: Sequence[str] = MEASURES,
    *,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> pd.DataFrame:
    """Compare rankings with the first of them: bootstrap intervals and paired randomization tests over queries.

    Args:
        qrels: judgments.
        runs: rankings by name; the first is the baseline.
        measures: names of measures.
        resamples: number of resamples of the bootstrap and of the test.
        confidence: coverage of the intervals.
        seed: of the resampling.

    Returns:
        A row per measure and ranking: ``measure``, ``run``, ``queries``, ``value``, ``low``, ``high``, ``difference``
        from the first, and ``p_value``, adjusted by Holm.

    Raises:
        ConfigError: an unknown measure.
        InputError: a file cannot be parsed, or no query is in both.
    """
    import pandas as pd

    gains = _gains(qrels)
    ranked = [list(judged(gains, _scores(run)).values()) for run in runs.values()]
    components = components_of([*map(parse_measure, measures)], ranked)
    found = compare_components(components, list(runs), resamples=resamples, confidence=confidence, seed=seed)
    return pd.DataFrame([asdict(each) for each in found]).rename(columns={"file": "run"})


def _gains(qrels: Judgments) -> Mapping[str, Mapping[str, int]]:
    if isinstance(qrels, Mapping):
        return qrels
    return catalogue_gains(str(qrels)) if str(qrels).startswith(IR_DATASETS) else qrels_gains(Path(qrels))


def _scores(run: Ranking) -> Mapping[str, Mapping[str, float]]:
    return run if isinstance(run, Mapping) else run_scores(Path(run))
