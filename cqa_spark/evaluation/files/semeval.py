"""Prediction and gold files of SemEval Task 3, and rankings judged as its official scorers do."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.errors import InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, ReportedMeasure, evaluate, in_order
from cqa_spark.evaluation.files.columns import line_of, numbers, read_columns, write_lines
from cqa_spark.evaluation.files.pairs import (
    Batch,
    Matches,
    NumberedPairs,
    match,
    pairs,
    positions,
    some,
    warn_of_uncovered_queries,
)
from cqa_spark.evaluation.measure import RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.measures.truncated_average_precision import TruncatedMeanAveragePrecision

LAYOUT = "query candidate rank score true|false"
_LABELS = pa.array(["true", "false"])

_ROUNDING = 0.02
"""Scores of gold files may be rounded, such as 0.33 for rank 3."""

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

MOST_QUERIES = 2_000
"""Number of queries from which the value of a random order is estimated; drawing their orders takes seconds."""

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


class OfficialFile(NamedTuple):
    """A gold or prediction file; arrays have shape (lines,).

    Attributes:
        path: its path.
        scores: the pairs, in the order of the lines, with their scores.
        relevant: the gold labels, or the predicted labels.
        ranks: distinct ranks, as written.
        rank: position of each line's rank among them.
    """

    path: Path
    scores: NumberedPairs
    relevant: NDArray[np.bool_]
    ranks: pa.StringArray
    rank: NDArray[np.int32]


def read_official(path: Path) -> OfficialFile:
    """Read a gold or prediction file.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, or a pair is repeated.
    """
    labels: list[NDArray[np.bool_]] = []
    ranks: list[pa.DictionaryArray] = []

    def batches() -> Iterator[Batch]:
        for columns in read_columns(path, LAYOUT):
            query, candidate, rank, score, label = columns.fields
            is_relevant = pc.index_in(pc.utf8_lower(label), _LABELS)
            scores = numbers(score)
            if (wrong := np.isnan(scores) | is_relevant.is_null().to_numpy(zero_copy_only=False)).any():
                line = line_of(columns.first + int(wrong.argmax()), path, LAYOUT)
                *_, score_text, label_text = line.fields
                if label_text.lower() not in _LABELS.to_pylist():
                    raise line.error(f"label {label_text!r} is neither true nor false")
                raise line.error(f"score {score_text!r} is not a finite number")
            labels.append(is_relevant.to_numpy() == 0)
            ranks.append(rank.dictionary_encode())
            yield query, candidate, scores

    scored, encoded = pairs(batches()), pa.chunked_array(ranks).unify_dictionaries()
    row = scored.repeated()
    if row is not None:
        query_id, candidate_id = scored.name(row)
        raise line_of(row, path, LAYOUT).error(f"candidate {candidate_id} of query {query_id} is in the file twice")
    rank = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return OfficialFile(path, scored, np.concatenate(labels), encoded.chunk(0).dictionary, rank)


def read_labels(gold: Path) -> NumberedPairs:
    """The gold labels as grades, 1 or 0; the exceptions are those of ``read_official``."""
    judgments = read_official(gold)
    return judgments.scores._replace(number=judgments.relevant.astype(np.float64))


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


def ranked_file(gold: OfficialFile, prediction: OfficialFile) -> JudgedRanking:
    """The queries of a gold file that a prediction file ranks; ties keep the order of the prediction file.

    A gold candidate without a prediction counts as unranked. A prediction file is a gold file if all its rows are rows
    of the gold file.

    Returns:
        The ranking, named by its path; queries in the order of their ids.

    Raises:
        InputError: the prediction has candidates that are not in the gold file, or no query is in both.
    """
    if (
        _has_reciprocal_ranks(prediction)
        and not _has_reciprocal_ranks(gold)
        and (gold.scores.number != np.rint(gold.scores.number)).any()
    ):
        # Gold files have reciprocals of ranks as scores; predictions have other fractions.
        _log.warning(
            "%s seems to hold predictions and %s, whose scores are 1 / rank, to be the gold file: "
            "give the gold file first",
            gold.path, prediction.path,
        )  # fmt: skip
    matches = match(gold.scores, prediction.scores)
    if not (matches.query >= 0).any():
        raise InputError(
            f"{prediction.path}: has no query in common with {gold.path}", "give the gold file of the same data"
        )
    judged, ranked = gold.scores.queries, prediction.scores.queries
    warn_of_uncovered_queries(str(gold.path), str(prediction.path), judged, ranked, counted=False)
    _require_judged(gold, prediction, matches.judged, matches.query >= 0)
    by_id = pc.sort_indices(judged)
    shared = by_id.filter(pc.is_in(judged.take(by_id), ranked)).to_numpy()
    predicts_labels = not _has_rows_of(gold, prediction, matches.judged)
    ranking = _joined(gold, prediction, matches, shared, prediction.relevant, predicts_labels)
    _warn_of_unranked_candidates(gold, ranking)
    if predicts_labels:
        _warn_if_labels_are_known(gold, ranking)
    return ranking


def truncated_ranking(gold: OfficialFile, prediction: OfficialFile) -> JudgedRanking:
    """All queries of a gold file, ranked by a prediction file.

    A candidate that is not in the prediction file, or that follows one with the label false, is cut off; a query that
    is not in it has an empty ranking. The gold file stands for the order that the task gives, of which nothing is cut.

    Raises:
        InputError: the prediction has candidates or queries that are not in the gold file.
    """
    matches = match(gold.scores, prediction.scores)
    _require_judged(gold, prediction, matches.judged, np.True_)
    predicted = prediction.relevant | _has_rows_of(gold, prediction, matches.judged)
    return _joined(gold, prediction, matches, np.arange(len(gold.scores.queries)), predicted, predicts_labels=True)


def _require_judged(
    gold: OfficialFile, prediction: OfficialFile, judged: NDArray[np.int32], among: NDArray[np.bool_] | np.bool_
) -> None:
    """Refuse, by an ``InputError``, predictions of candidates that the gold file does not have.

    Args:
        gold: the gold file.
        prediction: the predictions.
        judged: position of each of them in the gold file.
        among: which of them to check.
    """
    unknown = np.flatnonzero((judged < 0) & among)
    if len(unknown):
        names = ("{1} of query {0}".format(*prediction.scores.name(row)) for row in unknown.tolist())
        raise InputError(
            f"{prediction.path}: {len(unknown)} candidates are not in {gold.path}: {some(names)}",
            "give the gold file of the same data, or rank only its candidates",
        )


def _has_rows_of(gold: OfficialFile, prediction: OfficialFile, judged: NDArray[np.int32]) -> bool:
    """Whether all rows of a prediction file are rows of the gold file."""
    rank = np.append(positions(prediction.ranks, gold.ranks), -1)[prediction.rank]
    return bool(
        (judged >= 0).all()
        and (prediction.scores.number == gold.scores.number[judged]).all()
        and (prediction.relevant == gold.relevant[judged]).all()
        and (rank == gold.rank[judged]).all()
    )


def _joined(
    gold: OfficialFile,
    prediction: OfficialFile,
    matches: Matches,
    queries: NDArray[np.int64],
    predicted: NDArray[np.bool_],
    predicts_labels: bool,
) -> JudgedRanking:
    """Queries of a gold file, ranked by a prediction file.

    Args:
        gold: the gold file.
        prediction: the predictions.
        matches: the predictions among the judgments.
        queries: positions of the queries among those of the gold file, in the order of the ranking.
        predicted: the predicted labels.
        predicts_labels: whether they are predictions.
    """
    # The predictions of judged candidates, then the judged candidates without a prediction.
    rows, no_number = np.flatnonzero(matches.judged >= 0).astype(np.int32), np.zeros(len(matches.missed))
    judged = np.append(matches.judged[rows], matches.missed)
    is_ranked = np.arange(len(judged)) < len(rows)
    # Position of each query of the gold file in the ranking; -1 for queries that are not in it.
    position = np.full(len(gold.scores.queries), -1, np.int32)
    position[queries] = np.arange(len(queries))
    query, relevant = position[gold.scores.query[judged]], gold.relevant[judged]
    score = np.append(prediction.scores.number[rows], no_number)
    order = np.lexsort((-score, ~is_ranked, query)).astype(np.int32)
    return in_order(
        str(prediction.path),
        gold.scores.queries.take(queries),
        query,
        order[query[order] >= 0],
        predicts_labels,
        {
            "relevant": relevant,
            "gain": relevant,
            "ranked": is_ranked,
            "predicted": np.append(predicted[rows], no_number),
            "judged": np.ones(len(judged), np.bool_),
        },
    )


def _has_reciprocal_ranks(file: OfficialFile) -> bool:
    ranks = np.array([float(rank) if rank.isdecimal() else np.nan for rank in file.ranks.to_pylist()])
    return bool(np.isclose(ranks[file.rank] * file.scores.number, 1, rtol=_ROUNDING, atol=0).all())


def _warn_of_unranked_candidates(gold: OfficialFile, ranking: JudgedRanking) -> None:
    is_missed = ~ranking.candidates["ranked"]
    missed = np.repeat(np.arange(len(ranking.sizes)), ranking.sizes)[is_missed]
    if len(missed):
        incomplete = ranking.queries.take(np.unique(missed)).to_pylist()
        _log.warning(
            "%s: has no score for %d candidates of %s, which count as not ranked, in %d queries: %s",
            ranking.name, len(missed), gold.path, len(incomplete), some(incomplete),
        )  # fmt: skip


def _warn_if_labels_are_known(gold: OfficialFile, ranking: JudgedRanking) -> None:
    ranked = ranking.candidates[ranking.candidates["ranked"]]
    if ranked["relevant"].any() and (ranked["predicted"] == ranked["relevant"]).all():
        _log.warning(
            "%s: all %d labels equal those of %s; if they are copies, ignore precision, recall, F1 and accuracy",
            ranking.name, len(ranked), gold.path,
        )  # fmt: skip


@dataclass(frozen=True)
class _EmptyRankings(TruncatedMeanAveragePrecision):
    """TMAP of a system that returns no candidate, for the same queries of subtask E."""

    name = "empty"
    about = "TMAP of empty rankings"

    def value(self, query: RankedQuery) -> float:
        """1 for a query without a relevant candidate, else 0."""
        return super().value(RankedQuery([], query.judged))


COMPARED_TRUNCATED_MEASURES = ("TMAP", "OracleTMAP", "UncutTMAP")
TRUNCATED_MEASURES = (
    *(ReportedMeasure(name, name, name) for name in COMPARED_TRUNCATED_MEASURES),
    ReportedMeasure(_EmptyRankings(), "empty", "empty"),
)
"""TMAP of a file, of its order cut perfectly, of its order not cut, and of empty rankings."""


class JudgedPopulation(TypedDict):
    """The queries of a gold file.

    ``random`` is the expected value of a random order, ``best`` that of relevant candidates first, as fractions.
    """

    queries: int
    candidates: int
    random: float
    best: float


def population(gold: OfficialFile, measure: str) -> JudgedPopulation:
    """The queries of a gold file, and the values of a random and of the best order.

    Args:
        gold: the judgments.
        measure: display name of a measure of the order, such as ``MAP@10``.

    Raises:
        ConfigError: an unknown measure.
    """
    parsed, given_order = parse_measure(measure), truncated_ranking(gold, gold)
    sizes, is_drawn = given_order.sizes, np.zeros(len(given_order.sizes), np.bool_)
    is_drawn[pc.sort_indices(given_order.queries).to_numpy()[:: ceil(len(sizes) / MOST_QUERIES)]] = True
    random = evaluate(given_order.chosen(is_drawn), [parsed], at_random=True)[str(parsed)]
    relevant_first = np.lexsort((~given_order.candidates["relevant"], np.repeat(np.arange(len(sizes)), sizes)))
    best = evaluate(given_order._replace(candidates=given_order.candidates[relevant_first]), [parsed])[str(parsed)]
    return JudgedPopulation(
        queries=len(sizes),
        candidates=len(given_order.candidates),
        random=random or 0.0,
        best=best or 0.0,
    )


def in_words(of_queries: JudgedPopulation, measure: str) -> str:
    """A sentence about a population with values of this measure, by its display name."""
    return (
        f"{of_queries['queries']:,} queries with {of_queries['candidates']:,} candidates; {measure} of a random order "
        f"{100 * of_queries['random']:.2f}, of the best {100 * of_queries['best']:.2f}"
    )
