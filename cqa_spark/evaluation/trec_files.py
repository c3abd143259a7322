"""Runs and qrels, the files of TREC, as trec_eval 10 reads them; also BEIR's qrels and MS MARCO's runs."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cqa_spark.errors import InputError
from cqa_spark.evaluation.column_reading import Columns, numbers, read_columns
from cqa_spark.evaluation.line_reading import Line, line_of, read_lines
from cqa_spark.evaluation.line_writing import write_lines
from cqa_spark.evaluation.official_files import LAYOUT as SEMEVAL_LAYOUT
from cqa_spark.evaluation.pairs import Batch, NumberedPairs, pairs
from cqa_spark.evaluation.separated_scores import separated

RUN_LAYOUT = "query Q0 document rank score run ..."
MS_MARCO_LAYOUT = "query document rank"
QRELS_LAYOUT = "query 0 document grade"
BEIR_LAYOUT = "query-id corpus-id score"
"""The header of BEIR's qrels; it distinguishes them from other files of three columns."""

_RUNS = RUN_LAYOUT, MS_MARCO_LAYOUT
_QRELS = QRELS_LAYOUT, BEIR_LAYOUT, RUN_LAYOUT


class RunRow(NamedTuple):
    """One line of a run: a candidate with its rank, from 1, and its score; higher is better."""

    query_id: str
    candidate_id: str
    rank: int
    score: float
    system: str


class QrelsRow(NamedTuple):
    """One judgment.

    Attributes:
        query_id: id of the query.
        candidate_id: id of the candidate.
        grade: graded relevance; 0 is none, a negative grade is no judgment.
    """

    query_id: str
    candidate_id: str
    grade: int


def is_qrels(path: Path) -> bool:
    """Whether a file of judgments is one of TREC: its first line has not the five columns of SemEval's files.

    Raises:
        InputError: the file is missing, unreadable or empty, or of another layout.
    """
    first = next(read_lines(path, SEMEVAL_LAYOUT, *_QRELS, comments=True))
    return first.layout != SEMEVAL_LAYOUT


def read_run(path: Path) -> NumberedPairs:
    """The score of each document of each query.

    Ranks, and words after the name of the run, are ignored, as in trec_eval. In MS MARCO's layout, which has no
    scores, the score is the negative rank.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, a document of a query is repeated, or the ranks of
            a query in MS MARCO's layout are not 1, 2, 3 and so on.
    """
    layout = ""

    def batches() -> Iterator[Batch]:
        nonlocal layout
        for columns in read_columns(path, *_RUNS, comments=True):
            layout = columns.layout
            if layout == MS_MARCO_LAYOUT:
                query, document, _ = columns.fields
                yield query, document, -_numbers(path, columns, 2, "rank", _RUNS, whole=True)
            else:
                query, _, document, *_ = columns.fields
                yield query, document, _numbers(path, columns, 4, "score", _RUNS)

    scores = pairs(batches())
    _require_distinct(path, scores, _RUNS)
    if layout == MS_MARCO_LAYOUT:
        _require_ranks(path, scores)
    return scores


def read_qrels(path: Path) -> NumberedPairs:
    """The grade of each judged document of each query.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, a document of a query is repeated, or the file is
            a run.
    """
    header = 0

    def batches() -> Iterator[Batch]:
        nonlocal header
        for columns in read_columns(path, *_QRELS, comments=True):
            if columns.layout == RUN_LAYOUT:
                raise InputError(f"{path} is a run, not judgments", "give the qrels first, then the runs")
            if columns.layout == BEIR_LAYOUT and columns.first == 0:
                _require_header(line_of(0, path, *_QRELS, comments=True))
                header = 1
                columns = columns.without_first()
            query, *_, document, _ = columns.fields
            yield query, document, _numbers(path, columns, len(columns.fields) - 1, "grade", _QRELS, whole=True)

    grades = pairs(batches())
    _require_distinct(path, grades, _QRELS, header)
    return grades


def write_run(path: Path, rows: Iterable[RunRow]) -> None:
    """Write a run, such that every reader ranks the candidates alike.

    Scores keep all their digits, unless a score is not below the one before it in single precision; it is lowered then.

    Args:
        path: file to write.
        rows: the rows of each query together, in the order of their ranks.

    Raises:
        InputError: an id is empty or holds a blank.
        EnvironmentProblem: the folder is not writable.
    """
    write_lines(path, _run_fields(rows), separator=" ")


def write_qrels(path: Path, rows: Iterable[QrelsRow]) -> None:
    """Write judgments.

    Raises:
        InputError: an id is empty or holds a blank.
        EnvironmentProblem: the folder is not writable.
    """
    write_lines(path, ((row.query_id, 0, row.candidate_id, row.grade) for row in rows), separator=" ")


def _numbers(
    path: Path, columns: Columns, place: int, meaning: str, layouts: Sequence[str], *, whole: bool = False
) -> NDArray[np.float64]:
    """The numbers of a column; an ``InputError`` names the first line with another text."""
    values = numbers(columns.fields[place])
    wrong = np.isnan(values) | (whole & (values != np.rint(values)))
    if wrong.any():
        line = line_of(columns.first + int(wrong.argmax()), path, *layouts, comments=True)
        (line.integer if whole else line.real)(line.fields[place], meaning)
    return values


def _require_distinct(path: Path, found: NumberedPairs, layouts: Sequence[str], header: int = 0) -> None:
    if (row := found.repeated()) is not None:
        query, document = found.name(row)
        line = line_of(header + row, path, *layouts, comments=True)
        raise line.error(f"document {document} of query {query} is in the file twice")


def _require_header(line: Line) -> None:
    if [field.lower() for field in line.fields] != BEIR_LAYOUT.split():
        raise InputError(
            f"{line.path}:{line.number}: 3 columns without the header of BEIR",
            f"begin the file with {BEIR_LAYOUT}, or write lines that read: {QRELS_LAYOUT}",
        )


def _require_ranks(path: Path, scores: NumberedPairs) -> None:
    order = np.lexsort((-scores.number, scores.query))
    sizes = np.bincount(scores.query)
    expected = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wrong = scores.query[order][-scores.number[order] != expected]
    if len(wrong):
        raise InputError(
            f"{path}: the ranks of query {scores.queries[wrong[0]]} are not 1 to {sizes[wrong[0]]}",
            f"three columns read: {MS_MARCO_LAYOUT}; a file with scores reads: {RUN_LAYOUT}",
        )


def _run_fields(rows: Iterable[RunRow]) -> Iterator[tuple[object, ...]]:
    for _, of_query in groupby(rows, key=lambda row: row.query_id):
        ranked = list(of_query)
        for row, score in zip(ranked, separated([row.score for row in ranked], "single"), strict=True):
            yield row.query_id, "Q0", row.candidate_id, row.rank, repr(score), row.system
