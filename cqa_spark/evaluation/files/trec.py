"""Runs and qrels of TREC, read and judged as trec_eval 10 does; also those of BEIR, MS MARCO, ColBERT and in JSON."""

import json
import logging
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.evaluate import JudgedRanking, in_order
from cqa_spark.evaluation.files.columns import (
    NUMBER,
    Columns,
    line_of,
    numbers,
    read_columns,
    read_lines,
    reading,
    unpacked,
    write_lines,
)
from cqa_spark.evaluation.files.pairs import (
    Batch,
    NumberedPairs,
    match,
    pairs,
    pairs_of_mapping,
    some,
    warn_of_uncovered_queries,
)
from cqa_spark.evaluation.files.semeval import LAYOUT as SEMEVAL_LAYOUT

MEASURES = ("AP@1000", "nDCG@10", "P@1", "P@10", "MRR@10")
"""Measures that equal those of trec_eval."""

Precision = Literal["double", "single"]
_UNJUDGED = -1

_LIMIT = 1e38
"""Scores beyond it approach the limit of single precision."""

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
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TrecOptions:
    """How runs are ranked and judged.

    Attributes:
        relevance_level: lowest grade that counts as relevant, ``-l`` of trec_eval; graded measures ignore it.
        precision: precision in which scores are compared: double, as in trec_eval 10, or single, as in trec_eval 9 and
            the packages built on it, pytrec_eval and ir_measures.
        judged_only: leave out documents without judgment, ``-J`` of trec_eval.
        ignore_identical_ids: leave out documents with the id of their query, as BEIR does.

    Raises:
        ConfigError: the level is not above 0, or the precision is another word.
    """

    relevance_level: float = 1
    precision: Precision = "double"
    judged_only: bool = False
    ignore_identical_ids: bool = False

    def __post_init__(self) -> None:
        if not self.relevance_level > 0:
            raise ConfigError(
                f"relevance level {self.relevance_level} is not above 0", "0 is the grade of no relevance"
            )
        if self.precision not in get_args(Precision):
            raise ConfigError(
                f"unknown precision {self.precision!r}", f"choose one of: {', '.join(get_args(Precision))}"
            )


def judged(
    grades: NumberedPairs, scores: NumberedPairs, options: TrecOptions, *, names: tuple[str, str]
) -> JudgedRanking:
    """The queries of the judgments, ranked by scores, as trec_eval does with ``-c``.

    Documents are ordered by score, descending; ties by id, descending. A document is relevant if its grade is at least
    the relevance level. A negative grade is no judgment. Documents without judgment are not relevant. A query without a
    ranking counts 0. A warning counts such queries, and those without judgments, which are ignored.

    Args:
        grades: graded relevance of each judged document.
        scores: score of each ranked document.
        options: how runs are ranked and judged.
        names: names of judgments and run, for messages.

    Raises:
        InputError: no query is in both.
    """
    judgments, run = names
    if not pc.any(pc.is_in(scores.queries, grades.queries)).as_py():
        raise InputError(f"{run} has no query in common with {judgments}", "give the qrels of the same queries")
    warn_of_uncovered_queries(judgments, run, grades.queries, scores.queries, counted=True)
    matches = match(grades, scores)
    grade = np.append(grades.number, _UNJUDGED)[matches.judged]
    is_left_out, missed = matches.query < 0, matches.missed
    if options.judged_only:
        is_left_out |= grade < 0
    has_own_id = pc.equal(scores.candidates, scores.queries.take(pa.array(scores.query))).to_numpy()
    if options.ignore_identical_ids:
        is_left_out |= has_own_id
        missed = np.append(missed, matches.judged[has_own_id & (matches.judged >= 0)])
    elif number := len(np.unique(matches.query[has_own_id & ~is_left_out])):
        _log.warning(
            "%s: %d of %d queries rank a document with their own id (--ignore-identical-ids leaves it out, as "
            "BEIR does)",
            run, number, len(grades.queries),
        )  # fmt: skip
    # Ranked documents, then the judged ones that the run lacks.
    rows = np.flatnonzero(~is_left_out)
    query = np.append(matches.query[rows], grades.query[missed])
    grade = np.append(grade[rows], grades.number[missed])
    score = np.append(scores.number[rows], np.zeros(len(missed)))
    is_ranked, gain = np.arange(len(query)) < len(rows), np.maximum(grade, 0)
    other: Precision = "single" if options.precision == "double" else "double"
    order, other_order = (
        _best_first(query, is_ranked, score, scores, rows, precision) for precision in (options.precision, other)
    )
    changed = np.unique(query[order][gain[order] != gain[other_order]])
    if len(changed):
        _log.warning(
            "%s: scores of %d of %d queries are so close that the measures differ between %s precision, used here, and "
            "%s (--precision; trec_eval 9, pytrec_eval and ir_measures compare in single precision): %s",
            run, len(changed), len(grades.queries), options.precision, other,
            some(sorted(grades.queries.take(pa.array(changed)).to_pylist())),
        )  # fmt: skip
    return in_order(
        run,
        grades.queries,
        query,
        order,
        False,
        {
            "relevant": grade >= options.relevance_level,
            "gain": gain,
            "ranked": is_ranked,
            "score": score,
            "judged": grade >= 0,
        },
    )


def _best_first(
    query: NDArray[np.int64],
    is_ranked: NDArray[np.bool_],
    score: NDArray[np.float64],
    run: NumberedPairs,
    rows: NDArray[np.int64],
    precision: Precision,
) -> NDArray[np.int32]:
    """The documents of each query by score, and ties by id, both descending, then those that are not ranked.

    Args:
        query: position of each document's query, shape (documents,).
        is_ranked: whether the run ranks it.
        score: its score.
        run: the run.
        rows: the pairs of the run that are the first documents, which it ranks.
        precision: precision in which scores are compared.
    """
    with np.errstate(over="ignore"):
        compared = score.astype(np.float32) if precision == "single" else score
    keys = -compared, ~is_ranked, query
    order = np.lexsort(keys).astype(np.int32)
    equal = np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in keys])
    # Only tied documents are sorted by their ids, which is slow.
    tied = np.flatnonzero((np.append(equal, False) | np.append(False, equal)) & is_ranked[order])
    if len(tied):
        documents = order[tied]
        by_id = np.empty(len(tied), np.int64)
        ids = run.candidates.take(pa.array(rows[documents])).combine_chunks()
        by_id[pc.array_sort_indices(ids, order="descending").to_numpy()] = np.arange(len(tied))
        order[tied] = documents[np.lexsort((by_id, *(key[documents] for key in keys)))]
    return order


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
    distinguish its runs from qrels. In MS MARCO's layout, which has no scores, the score is the negative rank.

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
                line = line_of(0, path, *_QRELS, comments=True)
                if [field.lower() for field in line.fields] != BEIR_LAYOUT.split():
                    raise InputError(
                        f"{path}:{line.number}: 3 columns without the header of BEIR",
                        f"begin the file with {BEIR_LAYOUT}, or write lines that read: {QRELS_LAYOUT}",
                    )
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

    def fields() -> Iterator[tuple[object, ...]]:
        for _, of_query in groupby(rows, key=lambda row: row.query_id):
            ranked = list(of_query)
            for row, score in zip(ranked, separated([row.score for row in ranked], "single"), strict=True):
                yield row.query_id, "Q0", row.candidate_id, row.rank, repr(score), row.system

    write_lines(path, fields(), separator=" ")


def write_qrels(path: Path, rows: Iterable[QrelsRow]) -> None:
    """Write judgments.

    Raises:
        InputError: an id is empty or holds a blank.
        EnvironmentProblem: the folder is not writable.
    """
    write_lines(path, ((row.query_id, 0, row.candidate_id, row.grade) for row in rows), separator=" ")


def separated(scores: Sequence[float], precision: Literal["double", "single"]) -> Iterator[float]:
    """Scores that decrease strictly, so that readers restore the ranking whatever they do with ties.

    Scores that decrease already keep their digits; others are lowered to the next number of the precision. If a score
    is not a number or beyond single precision, all are replaced by negative ranks.

    Args:
        scores: scores of a ranking, best first.
        precision: precision in which readers compare scores; decreasing in single precision is decreasing in double.
    """
    if not all(-_LIMIT < score < _LIMIT for score in scores):
        yield from (-float(rank) for rank in range(1, len(scores) + 1))
        return
    number = np.float32 if precision == "single" else np.float64
    last, smallest = number(np.inf), np.finfo(number).smallest_normal
    for score in scores:
        if not number(score) < last:
            # Smaller steps around 0 are subnormal numbers, which some processors' modes round to 0.
            score = float(min(np.nextafter(last, number(-np.inf)), last - smallest))
        yield score
        last = number(score)


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
    path: Path, columns: Columns, column: int, meaning: str, layouts: Sequence[str], *, whole: bool = False
) -> NDArray[np.float64]:
    """The numbers of a column; an ``InputError`` names the first line with another text."""
    values = numbers(columns.fields[column])
    wrong = np.isnan(values) | (whole & (values != np.rint(values)))
    if wrong.any():
        line = line_of(columns.first + int(wrong.argmax()), path, *layouts, comments=True)
        (line.integer if whole else line.real)(line.fields[column], meaning)
    return values


def _require_distinct(path: Path, numbered: NumberedPairs, layouts: Sequence[str], header: int = 0) -> None:
    row = numbered.repeated()
    if row is not None:
        query, document = numbered.name(row)
        line = line_of(header + row, path, *layouts, comments=True)
        raise line.error(f"document {document} of query {query} is in the file twice")


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
