"""Runs and qrels, the files of TREC, as trec_eval 10 reads them; also BEIR's qrels and MS MARCO's runs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from cqa_spark.errors import InputError
from cqa_spark.evaluation.delimited import Line, read_lines, write_lines
from cqa_spark.evaluation.official_files import LAYOUT as SEMEVAL_LAYOUT
from cqa_spark.evaluation.separated_scores import separated

RUN_LAYOUT = "query Q0 document rank score run ..."
MS_MARCO_LAYOUT = "query document rank"
QRELS_LAYOUT = "query 0 document grade"
BEIR_LAYOUT = "query-id corpus-id score"
"""The header of BEIR's qrels; it distinguishes them from other files of three columns."""

Value = TypeVar("Value", int, float)


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
    first = next(read_lines(path, SEMEVAL_LAYOUT, QRELS_LAYOUT, BEIR_LAYOUT, RUN_LAYOUT, comments=True))
    return first.layout != SEMEVAL_LAYOUT


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """The score of each document, by query.

    Ranks, and words after the name of the run, are ignored, as in trec_eval. In MS MARCO's layout, which has no
    scores, the score is the negative rank.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, a document of a query is repeated, or the ranks of
            a query in MS MARCO's layout are not 1, 2, 3 and so on.
    """
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    layout = ""
    for line in read_lines(path, RUN_LAYOUT, MS_MARCO_LAYOUT, comments=True):
        layout = line.layout
        if layout == MS_MARCO_LAYOUT:
            query, document, rank = line.fields
            _add(scores, line, query, document, -line.integer(rank, "rank"))
        else:
            query, _, document, _, score = line.fields[:5]
            _add(scores, line, query, document, line.real(score, "score"))
    if layout == MS_MARCO_LAYOUT:
        _require_ranks(path, scores)
    return dict(scores)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """The grade of each judged document, by query.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, a document of a query is repeated, or the file is
            a run.
    """
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    has_header = False
    for line in read_lines(path, QRELS_LAYOUT, BEIR_LAYOUT, RUN_LAYOUT, comments=True):
        if line.layout == RUN_LAYOUT:
            raise InputError(f"{path} is a run, not judgments", "give the qrels first, then the runs")
        if line.layout == BEIR_LAYOUT and not has_header:
            _require_header(line)
            has_header = True
            continue
        query, document, grade = line.fields if has_header else (line.fields[0], *line.fields[2:])
        _add(grades, line, query, document, line.integer(grade, "grade"))
    return dict(grades)


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


def _add(values: dict[str, dict[str, Value]], line: Line, query: str, document: str, value: Value) -> None:
    if document in values[query]:
        raise line.error(f"document {document} of query {query} is in the file twice")
    values[query][document] = value


def _require_header(line: Line) -> None:
    if [field.lower() for field in line.fields] != BEIR_LAYOUT.split():
        raise InputError(
            f"{line.path}:{line.number}: 3 columns without the header of BEIR",
            f"begin the file with {BEIR_LAYOUT}, or write lines that read: {QRELS_LAYOUT}",
        )


def _require_ranks(path: Path, scores: dict[str, dict[str, float]]) -> None:
    for query, of_query in scores.items():
        if sorted(of_query.values(), reverse=True) != [-rank for rank in range(1, len(of_query) + 1)]:
            raise InputError(
                f"{path}: the ranks of query {query} are not 1 to {len(of_query)}",
                f"three columns read: {MS_MARCO_LAYOUT}; a file with scores reads: {RUN_LAYOUT}",
            )


def _run_fields(rows: Iterable[RunRow]) -> Iterator[tuple[object, ...]]:
    for _, of_query in groupby(rows, key=lambda row: row.query_id):
        ranked = list(of_query)
        for row, score in zip(ranked, separated([row.score for row in ranked], "single"), strict=True):
            yield row.query_id, "Q0", row.candidate_id, row.rank, repr(score), row.system
