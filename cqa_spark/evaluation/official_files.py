"""SemEval Task 3 prediction and gold files, their join for scoring, and the measures of the official scorer."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from pathlib import Path
from typing import NamedTuple

from cqa_spark.errors import InputError
from cqa_spark.evaluation.coverage import some, warn_of_uncovered_queries
from cqa_spark.evaluation.delimited import read_lines, write_lines
from cqa_spark.evaluation.judged_rankings import JudgedRanking, ReportedMeasure
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery

LAYOUT = "query candidate rank score true|false"

OFFICIAL_MEASURES = (
    ReportedMeasure("MAP@10", "map", "MAP"),
    ReportedMeasure("AvgRec@10", "avg_rec", "AvgRec"),
    ReportedMeasure("MRR@10", "mrr", "MRR"),
    ReportedMeasure("Precision", "precision", "P"),
    ReportedMeasure("Recall", "recall", "R"),
    ReportedMeasure("F1", "f1", "F1"),
    ReportedMeasure("Accuracy", "accuracy", "Acc"),
)
"""The measures of the official scorer."""

COMPARED_MEASURES = ("MAP@10", "AvgRec@10", "MRR@10", "F1", "Accuracy")

_LABELS = {"true": True, "false": False}
_ROUNDING = 0.02
"""Scores of gold files may be rounded, such as 0.33 for rank 3."""

_log = logging.getLogger(__name__)


class OfficialRow(NamedTuple):
    """One line of a gold or prediction file.

    Attributes:
        query_id: id of the query.
        candidate_id: id of the candidate.
        score: higher is better.
        relevant: the gold label, or the predicted label.
        rank: as written; not used for scoring, because predictions contain 0.
    """

    query_id: str
    candidate_id: str
    score: float
    relevant: bool
    rank: str = "0"


def read_official(path: Path) -> list[OfficialRow]:
    """Read a gold or prediction file, in the order of its lines.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, or a pair is repeated.
    """
    rows: dict[tuple[str, str], OfficialRow] = {}
    for line in read_lines(path, LAYOUT):
        query_id, candidate_id, rank, score, label = line.fields
        if label.lower() not in _LABELS:
            raise line.error(f"label {label!r} is neither true nor false")
        if (query_id, candidate_id) in rows:
            raise line.error(f"candidate {candidate_id} of query {query_id} is in the file twice")
        row = OfficialRow(query_id, candidate_id, line.real(score, "score"), _LABELS[label.lower()], rank)
        rows[query_id, candidate_id] = row
    return list(rows.values())


def write_official(path: Path, rows: Iterable[OfficialRow]) -> int:
    """Write a gold or prediction file; scores keep every digit.

    Returns:
        The number of rows.

    Raises:
        InputError: an id is empty or contains a blank.
        EnvironmentProblem: the folder is not writable.
    """
    lines = ((row.query_id, row.candidate_id, row.rank, repr(row.score), str(row.relevant).lower()) for row in rows)
    return write_lines(path, lines, separator="\t")


def ranked_file(gold: Path, prediction: Path) -> JudgedRanking:
    """The queries of both files, ranked by the prediction's scores and judged by the gold labels.

    Rows are matched by ids. Candidates are ordered by score, descending; ties keep the order of the prediction file.
    A gold candidate without a prediction counts as unranked. A prediction file is a gold file if all its rows are rows
    of the gold file.

    Returns:
        The ranking, named by its path; queries in the order of their ids.

    Raises:
        InputError: a file cannot be parsed, the prediction has candidates that are not in the gold file, or no query
            is in both.
    """
    judgments, predictions = read_official(gold), read_official(prediction)
    _warn_if_exchanged(gold, prediction, judgments, predictions)
    judged, predicted = _by_query(judgments), _by_query(predictions)
    shared = [query_id for query_id in judged if query_id in predicted]
    if not shared:
        raise InputError(f"{prediction}: has no query in common with {gold}", "give the gold file of the same data")
    warn_of_uncovered_queries(str(gold), str(prediction), judged, predicted, counted=False)
    require_judged(gold, prediction, judgments, [row for query_id in shared for row in predicted[query_id].values()])
    queries = judged_queries([row for query_id in sorted(shared) for row in judged[query_id].values()], predictions)
    _warn_of_unranked_candidates(gold, prediction, queries)
    predicts_labels = not set(predictions) <= set(judgments)
    if predicts_labels:
        _warn_if_labels_are_known(gold, prediction, queries.values())
    return JudgedRanking(str(prediction), queries, predicts_labels)


def require_judged(
    gold: Path, prediction: Path, judgments: Iterable[OfficialRow], predictions: Iterable[OfficialRow]
) -> None:
    """Refuse predictions, by an ``InputError``, of candidates that the gold file does not have."""
    judged = {row[:2] for row in judgments}
    unknown = [f"{row.candidate_id} of query {row.query_id}" for row in predictions if row[:2] not in judged]
    if unknown:
        raise InputError(
            f"{prediction}: {len(unknown)} candidates are not in {gold}: {some(unknown)}",
            "give the gold file of the same data, or rank only its candidates",
        )


def judged_queries(judgments: Iterable[OfficialRow], predictions: Iterable[OfficialRow]) -> dict[str, RankedQuery]:
    """The queries of the judgments, ranked by the predictions; a candidate without a prediction is not ranked.

    Args:
        judgments: rows of the gold file.
        predictions: rows of the prediction file; the judgments have all their candidates of these queries.
    """
    predicted = _by_query(predictions)
    return {query: _ranked(candidates, predicted.get(query, {})) for query, candidates in _by_query(judgments).items()}


def _by_query(rows: Iterable[OfficialRow]) -> dict[str, dict[str, OfficialRow]]:
    queries: dict[str, dict[str, OfficialRow]] = defaultdict(dict)
    for row in rows:
        queries[row.query_id][row.candidate_id] = row
    return dict(queries)


def _ranked(judged: dict[str, OfficialRow], predicted: dict[str, OfficialRow]) -> RankedQuery:
    best_first = sorted(predicted.values(), key=lambda row: -row.score)
    missed = [row for candidate_id, row in judged.items() if candidate_id not in predicted]
    return RankedQuery(
        [_judged(judged[row.candidate_id].relevant, row.relevant) for row in best_first],
        [_judged(row.relevant, predicted=False) for row in missed],
    )


def _judged(hit: bool, predicted: bool) -> Candidate:
    return Candidate(relevant=hit, gain=int(hit), predicted=predicted)


def _warn_if_exchanged(
    gold: Path, prediction: Path, judgments: Sequence[OfficialRow], rows: Sequence[OfficialRow]
) -> None:
    """Gold files have reciprocals of ranks as scores; predictions have other fractions."""
    if (
        _are_reciprocal_ranks(rows)
        and not _are_reciprocal_ranks(judgments)
        and not all(row.score.is_integer() for row in judgments)
    ):
        _log.warning(
            "%s seems to hold predictions and %s, whose scores are 1 / rank, to be the gold file: "
            "give the gold file first",
            gold, prediction,
        )  # fmt: skip


def _are_reciprocal_ranks(rows: Iterable[OfficialRow]) -> bool:
    return all(row.rank.isdecimal() and isclose(int(row.rank) * row.score, 1, rel_tol=_ROUNDING) for row in rows)


def _warn_of_unranked_candidates(gold: Path, prediction: Path, queries: Mapping[str, RankedQuery]) -> None:
    incomplete = [query_id for query_id, query in queries.items() if query.unranked]
    if incomplete:
        unranked = sum(len(queries[query_id].unranked) for query_id in incomplete)
        _log.warning(
            "%s: has no score for %d candidates of %s, which count as not ranked, in %d queries: %s",
            prediction, unranked, gold, len(incomplete), some(incomplete),
        )  # fmt: skip


def _warn_if_labels_are_known(gold: Path, prediction: Path, queries: Iterable[RankedQuery]) -> None:
    candidates = [candidate for query in queries for candidate in query.ranked]
    hits = sum(candidate.relevant for candidate in candidates)
    if hits and all(candidate.predicted == candidate.relevant for candidate in candidates):
        _log.warning(
            "%s: all %d labels equal those of %s; if they are copies, ignore precision, recall, F1 and accuracy",
            prediction, len(candidates), gold,
        )  # fmt: skip
