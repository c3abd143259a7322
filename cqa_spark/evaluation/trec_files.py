"""Runs and qrels, the files of TREC, as trec_eval 10 reads them; also those of BEIR, MS MARCO, ColBERT and in JSON."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cqa_spark.errors import InputError
from cqa_spark.evaluation.column_reading import Columns, numbers, read_columns
from cqa_spark.evaluation.line_reading import NUMBER, Line, line_of, read_lines, reading, unpacked
from cqa_spark.evaluation.line_writing import write_lines
from cqa_spark.evaluation.official_files import LAYOUT as SEMEVAL_LAYOUT
from cqa_spark.evaluation.pairs import Batch, NumberedPairs, pairs, pairs_of_mapping
from cqa_spark.evaluation.separated_scores import separated

RUN_LAYOUT = "query Q0 document rank score run ..."
MS_MARCO_LAYOUT = "query document rank"
COLBERT_LAYOUT = "query document rank score"
QRELS_LAYOUT = "query 0 document grade"
BEIR_LAYOUT = "query-id corpus-id score"
"""The header of BEIR's qrels; it distinguishes them from other files of three columns."""

JSON_LAYOUT = '{"query": {"document": 1, ...}, ...}'
"""JSON as ranx and pytrec_eval write it."""

_JSON = re.compile(rb"""(\xef\xbb\xbf)?\s*(\{\s*["}]|\[\s*[\[{])""")

_RUNS = RUN_LAYOUT, MS_MARCO_LAYOUT, COLBERT_LAYOUT
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

    A fifth column that is a number is the grade of a document whose id holds a blank.

    Raises:
        InputError: the file is missing, unreadable or empty, or of another layout.
    """
    if _is_json(path):
        return True
    first = next(read_lines(path, SEMEVAL_LAYOUT, *_QRELS, comments=True))
    return first.layout != SEMEVAL_LAYOUT or NUMBER.fullmatch(first.fields[-1]) is not None


def read_run(path: Path) -> NumberedPairs:
    """The score of each document of each query.

    Ranks, and words after the name of the run, are ignored, as in trec_eval; those of ColBERT are not, because they
    distinguish its runs from qrels. In MS MARCO's layout, which has no
    scores, the score is the negative rank.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, a document of a query is repeated, or the ranks of
            a query in the layout of MS MARCO or ColBERT are not 1, 2, 3 and so on.
    """
    if _is_json(path):
        return _read_json(path, "score")
    layout = ""
    ranks: list[NDArray[np.float64]] = []

    def batches() -> Iterator[Batch]:
        nonlocal layout
        for columns in read_columns(path, *_RUNS, comments=True):
            layout = columns.layout
            if layout == MS_MARCO_LAYOUT:
                query, document, _ = columns.fields
                ranks.append(_numbers(path, columns, 2, "rank", _RUNS, whole=True))
                yield query, document, -ranks[-1]
            elif layout == COLBERT_LAYOUT:
                query, document, rank, _ = columns.fields
                ranks.append(numbers(rank))  # qrels have four columns, too: their third ones are no ranks
                yield query, document, _numbers(path, columns, 3, "score", _RUNS)
            else:
                query, _, document, *_ = columns.fields
                yield query, document, _numbers(path, columns, 4, "score", _RUNS)

    scores = pairs(batches())
    if layout == COLBERT_LAYOUT:
        _require_ranks(path, scores, np.concatenate(ranks))
    _require_distinct(path, scores, _RUNS)
    if layout == MS_MARCO_LAYOUT:
        _require_ranks(path, scores, np.concatenate(ranks))
    return scores


def read_qrels(path: Path) -> NumberedPairs:
    """The grade of each judged document of each query.

    Raises:
        InputError: the file cannot be read, a line cannot be parsed, a document of a query is repeated, or the file is
            a run.
    """
    if _is_json(path):
        return _read_json(path, "grade")
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


def _is_json(path: Path) -> bool:
    with reading(path), path.open("rb") as file:
        return _JSON.match(unpacked(file).read(1000)) is not None


def _read_json(path: Path, meaning: Literal["grade", "score"]) -> NumberedPairs:
    """The numbers of a mapping from queries to documents; the exceptions are those of ``read_run``."""
    with reading(path), path.open("rb") as file:
        text = unpacked(file).read().decode("utf-8-sig")
    advice = f"JSON should read: {JSON_LAYOUT}; else a line should read: "
    advice += ", or: ".join(_RUNS if meaning == "score" else _QRELS[:2])
    try:
        numbers = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: the file is JSON, but cannot be read: {error}", advice) from error
    if not isinstance(numbers, dict) or not numbers:
        raise InputError(f"{path}: the file is JSON, but has no queries", advice)
    for query, of_query in numbers.items():
        if not isinstance(of_query, dict):
            raise InputError(f"{path}: the file is JSON, but {query} has no documents", advice)
        for document, value in of_query.items():
            if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
                problem = "is not a finite number"
            elif meaning == "grade" and value != int(value):
                problem = "is not a whole number"
            else:
                continue
            raise InputError(
                f"{path}: {meaning} {json.dumps(value)} of document {document} of query {query} {problem}", advice
            )
    return pairs_of_mapping(numbers)


def _distinct(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; ``ValueError`` if two of its members have one name."""
    distinct = dict(members)
    if len(distinct) < len(members):
        name, _ = Counter(name for name, _ in members).most_common(1)[0]
        raise ValueError(f"{name} is there twice")
    return distinct


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


def _require_ranks(path: Path, scores: NumberedPairs, ranks: NDArray[np.float64]) -> None:
    order = np.lexsort((ranks, scores.query))
    sizes = np.bincount(scores.query)
    expected = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wrong = scores.query[order][ranks[order] != expected]
    if len(wrong):
        raise InputError(
            f"{path}: the ranks of query {scores.queries[wrong[0]]} are not 1 to {sizes[wrong[0]]}",
            f"a run reads: {', or: '.join(_RUNS)}; qrels are given before the runs",
        )


def _run_fields(rows: Iterable[RunRow]) -> Iterator[tuple[object, ...]]:
    for _, of_query in groupby(rows, key=lambda row: row.query_id):
        ranked = list(of_query)
        for row, score in zip(ranked, separated([row.score for row in ranked], "single"), strict=True):
            yield row.query_id, "Q0", row.candidate_id, row.rank, repr(score), row.system
