"""Measures and comparisons of rankings, given as files, frames, rows or mappings, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cqa_spark.errors import ConfigError
from cqa_spark.evaluation import evaluate as measuring
from cqa_spark.evaluation.compare_files import compare_rankings
from cqa_spark.evaluation.evaluate import ReportedMeasure, query_records
from cqa_spark.evaluation.files.judging import JudgedSet, Judgments, Ranking, judge
from cqa_spark.evaluation.files.trec import Precision, TrecOptions
from cqa_spark.evaluation.statistics.bootstrap import CONFIDENCE, RESAMPLES, SEED, Resampling

if TYPE_CHECKING:
    import pandas as pd


def evaluate(
    qrels: Judgments,
    run: Ranking,
    measures: Sequence[str] = (),
    *,
    relevance_level: float = 1,
    precision: Precision = "double",
    judged_only: bool = False,
    ignore_identical_ids: bool = False,
    truncated: bool = False,
) -> dict[str, float]:
    """Evaluate a ranking: official files as their scorer does, all else as trec_eval does.

    With trec_eval, every query of the judgments counts. Warnings are logged about queries without a ranking, which
    count 0, and without judgments, which are ignored.

    Args:
        qrels: judgments: an official file or a qrels file, a mapping from queries to grades of documents, a frame or
            rows with columns such as ``query_id``, ``doc_id`` and ``relevance``, or an id of ir_datasets such as
            ``irds:antique/test``. Grades may be fractions; nDCG uses them as they are. Negative grades are no
            judgments.
        run: the ranking, in the same forms, with scores in place of grades; ties are ordered by id, descending.
        measures: names of measures, ours or those of ir_measures, such as ``nDCG@10``, ``P(rel=2)@5`` or ``bpref``;
            default: those of the official scorer, or of trec_eval.
        relevance_level: the lowest grade that counts as relevant: at 1, a grade of 0.5 does not. nDCG ignores it.
        precision: precision in which scores are compared: ``double``, as in trec_eval 10, or ``single``, as in
            trec_eval 9, pytrec_eval and ir_measures.
        judged_only: leave out documents without judgment.
        ignore_identical_ids: leave out documents with the id of their query, as BEIR does.
        truncated: whether official files have truncated rankings, as in subtask E, which TMAP measures.

    Returns:
        Fractions, by name of the measure; without measures of labels if the ranking predicts none.

    Raises:
        ConfigError: an unknown measure or precision, or a level that is not above 0.
        InputError: a file cannot be parsed, a grade or score is not a finite number, or no query is in both.

    >>> import cqa_spark as cqa
    >>> judgments = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    >>> ranking = {"q1": {"a": 0.9, "b": 0.2}, "q2": {"a": 0.7, "b": 0.4}}
    >>> cqa.evaluate(judgments, ranking, ["RR", "P@1"])
    {'RR': 0.75, 'P@1': 0.5}
    >>> cqa.evaluate("dev.qrels", "best_a.run", ["RR"])
    {'RR': 0.75}
    """
    options = TrecOptions(relevance_level, precision, judged_only, ignore_identical_ids)
    judged = judge(qrels, [("the run", run)], options, truncated=truncated)
    values = measuring.evaluate(judged.rankings[0], _measures(judged, measures))
    return {name: value for name, value in values.items() if value is not None}


def evaluate_queries(
    qrels: Judgments,
    run: Ranking,
    measures: Sequence[str] = (),
    *,
    relevance_level: float = 1,
    precision: Precision = "double",
    judged_only: bool = False,
    ignore_identical_ids: bool = False,
    truncated: bool = False,
) -> pd.DataFrame:
    """Evaluate a ranking query by query; same arguments and exceptions as ``evaluate``.

    Returns:
        A row for each query, by its id, and a column for each measure; NaN if it has no value for single queries.

    >>> import cqa_spark as cqa
    >>> judgments = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    >>> ranking = {"q1": {"a": 0.9, "b": 0.2}, "q2": {"a": 0.7, "b": 0.4}}
    >>> cqa.evaluate_queries(judgments, ranking, ["RR", "P@1"])
            RR  P@1
    query
    q1     1.0  1.0
    q2     0.5  0.0
    """
    import pandas as pd

    options = TrecOptions(relevance_level, precision, judged_only, ignore_identical_ids)
    judged = judge(qrels, [("the run", run)], options, truncated=truncated)
    reported = [ReportedMeasure(measure, str(measure), str(measure)) for measure in _measures(judged, measures)]
    rows = query_records(judged.rankings, reported)
    return pd.DataFrame(rows).drop(columns="file").set_index("query").astype("float64")


def compare(
    qrels: Judgments,
    runs: Mapping[str, Ranking],
    measures: Sequence[str] = (),
    *,
    baselines: Sequence[str] = (),
    relevance_level: float = 1,
    precision: Precision = "double",
    judged_only: bool = False,
    ignore_identical_ids: bool = False,
    truncated: bool = False,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> pd.DataFrame:
    """Compare rankings with baselines: bootstrap intervals and paired randomization tests over queries.

    Args:
        qrels: judgments, as for ``evaluate``.
        runs: rankings by name.
        measures: names of measures, as for ``evaluate``.
        baselines: names of the rankings that the others are compared with; default: the first.
        relevance_level: as for ``evaluate``.
        precision: as for ``evaluate``.
        judged_only: as for ``evaluate``.
        ignore_identical_ids: as for ``evaluate``.
        truncated: as for ``evaluate``.
        resamples: number of resamples of the bootstrap and of the test.
        confidence: coverage of the intervals.
        seed: of the resampling; the default is that of the command.

    Returns:
        A row per measure, baseline and ranking: ``measure``, ``run``, ``queries``, ``value``, ``low``, ``high``,
        ``difference`` from the baseline, ``p_value``, adjusted by Holm for the rankings that are tested against the
        baseline, ``baseline``, ``difference_low``, ``difference_high``, number of queries that are ``wins``, ``ties``
        and ``losses``, and ``effect_size``, the mean difference in units of the standard deviation of the differences.

    Raises:
        ConfigError: an unknown measure, baseline or precision, or a level that is not above 0.
        InputError: a file cannot be parsed, a grade or score is not a finite number, or no query is in both.

    >>> import cqa_spark as cqa
    >>> judgments = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    >>> old = {"q1": {"a": 0.1, "b": 0.2}, "q2": {"a": 0.7, "b": 0.4}}
    >>> new = {"q1": {"a": 0.9, "b": 0.2}, "q2": {"a": 0.7, "b": 0.4}}
    >>> compared = cqa.compare(judgments, {"old": old, "new": new}, ["RR"], resamples=99)
    >>> compared[["run", "value", "difference", "wins", "ties", "losses"]].values.tolist()[1]
    ['new', 0.75, 0.25, 1, 1, 0]
    """
    import pandas as pd

    names = list(runs)
    if unknown := [name for name in baselines if name not in runs]:
        raise ConfigError(f"unknown baselines {', '.join(unknown)}", f"choose among the runs: {', '.join(names)}")
    options = TrecOptions(relevance_level, precision, judged_only, ignore_identical_ids)
    judged = judge(qrels, runs.items(), options, truncated=truncated)
    positions = [names.index(name) for name in dict.fromkeys(baselines)] or [0]
    drawn = Resampling(resamples, seed, confidence)
    comparisons = compare_rankings(judged.rankings, judged.measures(measures), drawn, positions)
    frame = pd.DataFrame([compared.record() for compared in comparisons])
    counts = dict.fromkeys(("wins", "ties", "losses"), "Int32")
    return frame.drop(columns="williams").rename(columns={"file": "run"}).astype(counts)


def _measures(judged: JudgedSet, names: Sequence[str]) -> list[Any]:
    """The measures with these names, or those that are reported by default."""
    return judged.measures(names) if names else [reported.measure for reported in judged.reported]
