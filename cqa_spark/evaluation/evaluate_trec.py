"""Scores and comparisons of TREC runs, without Spark; used by ``evaluate-file`` and ``compare-files`` for qrels."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cqa_spark.errors import InputError
from cqa_spark.evaluation.compare_files import FileComparison, compare_components, components_of
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery
from cqa_spark.evaluation.resampling import CONFIDENCE, RESAMPLES, SEED
from cqa_spark.evaluation.trec_files import read_qrels, read_run

if TYPE_CHECKING:
    from cqa_spark.process.terminal import TextTable

MEASURES = ("AP@1000", "nDCG@10", "P@1", "P@10", "MRR@10")
"""Measures that equal those of trec_eval."""

Gains = Mapping[str, Mapping[str, int]]
RunScores = Mapping[str, Mapping[str, float]]
Scores = dict[str, str | int | float]
"""``file``, ``queries``, and measures by display name: fractions in full precision."""


def judged_run(qrels: Path, run: Path) -> dict[str, RankedQuery]:
    """The queries of a file of judgments, ranked by a run; see ``judged``.

    Raises:
        InputError: a file cannot be parsed, a pair is repeated, or no query is in both files.
    """
    gains, scores = qrels_gains(qrels), run_scores(run)
    if not gains.keys() & scores.keys():
        raise InputError(f"{run}: has no query in common with {qrels}", "give the qrels of the same queries")
    return judged(gains, scores)


def judged(gains: Gains, scores: RunScores) -> dict[str, RankedQuery]:
    """The queries of the judgments, ranked by scores, as trec_eval does with ``-c``.

    Candidates are ordered by score, descending; ties by id, descending. A candidate with a gain of at least 1 is
    relevant. Unjudged candidates are not relevant. An unranked query counts 0.

    Raises:
        InputError: no query is in both.
    """
    if not gains.keys() & scores.keys():
        raise InputError("the run has no query in common with the judgments", "give judgments of the same queries")
    return {query: _ranked(of_query, scores.get(query, {})) for query, of_query in gains.items()}


def qrels_gains(path: Path) -> dict[str, dict[str, int]]:
    """The gain of each candidate, by query.

    Raises:
        InputError: the file cannot be parsed, or a pair is repeated.
    """
    gains: dict[str, dict[str, int]] = defaultdict(dict)
    for row in read_qrels(path):
        _require_new(row.candidate_id, row.query_id, gains, path)
        gains[row.query_id][row.candidate_id] = row.gain
    return dict(gains)


def run_scores(path: Path) -> dict[str, dict[str, float]]:
    """The score of each candidate, by query; ranks are ignored, as in trec_eval.

    Raises:
        InputError: the file cannot be parsed, or a pair is repeated.
    """
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for row in read_run(path):
        _require_new(row.candidate_id, row.query_id, scores, path)
        scores[row.query_id][row.candidate_id] = row.score
    return dict(scores)


def totals(queries: Mapping[str, RankedQuery], measures: Sequence[str]) -> dict[str, float]:
    """Measures over queries, fractions, by display name.

    Raises:
        ConfigError: an unknown measure.
    """
    return {
        str(measure): measure.total(measure.components(query) for query in queries.values())
        for measure in map(parse_measure, measures)
    }


def evaluate_runs(qrels: Path, runs: Sequence[Path], measures: Sequence[str] = MEASURES) -> list[Scores]:
    """Evaluate runs against judgments, in the given order.

    Raises:
        ConfigError: an unknown measure.
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    return [_scores(qrels, run, measures) for run in runs]


def compare_runs(
    qrels: Path,
    runs: Sequence[Path],
    *,
    measures: Sequence[str] = MEASURES,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> list[FileComparison]:
    """Evaluate runs, with intervals, and test each against the first.

    Args:
        qrels: judgments.
        runs: runs over the same queries.
        measures: measures as written.
        resamples: of the bootstrap and of the randomization test.
        confidence: coverage of the intervals.
        seed: of the resampling.

    Returns:
        Measure by measure, the runs in the order given.

    Raises:
        ConfigError: an unknown measure.
        InputError: a file cannot be parsed, or the files do not belong together.
    """
    ranked = [list(judged_run(qrels, run).values()) for run in runs]
    components = components_of([*map(parse_measure, measures)], ranked)
    return list(compare_components(components, runs, resamples=resamples, confidence=confidence, seed=seed))


def to_json(scores: Sequence[Scores]) -> str:
    """The scores as a JSON array, one object per run."""
    return json.dumps(scores, indent=2, ensure_ascii=False)


def to_table(scores: Sequence[Scores]) -> TextTable:
    """The scores in percent."""
    from cqa_spark.process.terminal import TextTable, number

    names = [name for name in scores[0] if name not in ("file", "queries")]
    table = TextTable("file", *map(number, ("queries", *names)), caption="in percent; --format json: fractions")
    for row in scores:
        percent = [f"{100 * float(row[name]):.2f}" for name in names]
        table.add_row(Path(str(row["file"])).name, str(row["queries"]), *percent)
    return table


def _scores(qrels: Path, run: Path, measures: Sequence[str]) -> Scores:
    queries = judged_run(qrels, run)
    return {"file": str(run), "queries": len(queries), **totals(queries, measures)}


def _ranked(gains: Mapping[str, int], scores: Mapping[str, float]) -> RankedQuery:
    best_first = sorted(sorted(scores, reverse=True), key=lambda candidate: -scores[candidate])
    missed = [gain for candidate, gain in gains.items() if candidate not in scores]
    return RankedQuery(
        [_judged(gains.get(candidate, 0), scores[candidate]) for candidate in best_first], [*map(_judged, missed)]
    )


def _judged(gain: int, score: float = 0.0) -> Candidate:
    return Candidate(relevant=gain > 0, gain=max(gain, 0), score=score)


def _require_new(candidate: str, query: str, known: Mapping[str, Mapping[str, object]], path: Path) -> None:
    if candidate in known.get(query, ()):
        raise InputError(f"{path}: candidate {candidate} of query {query} is in the file twice", "remove one of them")
