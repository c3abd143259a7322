"""TREC run and qrels files, as read by trec_eval and most information retrieval tools."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cqa_spark.evaluation.delimited import read_lines, write_lines

RUN_LAYOUT = "query Q0 candidate rank score system"
QRELS_LAYOUT = "query 0 candidate gain"


class RunRow(NamedTuple):
    """One line of a run.

    Attributes:
        query_id: id of the query.
        candidate_id: id of the candidate.
        rank: from 1.
        score: higher is better.
        system: name of the system.
    """

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
        gain: graded relevance, 0 is none.
    """

    query_id: str
    candidate_id: str
    gain: int


def read_run(path: Path) -> list[RunRow]:
    """Read a run, in the order of its lines.

    Raises:
        InputError: the file cannot be read, or a line cannot be understood.
    """
    rows = []
    for line in read_lines(path, RUN_LAYOUT):
        query_id, _, candidate_id, rank, score, system = line.fields
        rows.append(RunRow(query_id, candidate_id, line.integer(rank, "rank"), line.score(score), system))
    return rows


def write_run(path: Path, rows: Iterable[RunRow]) -> None:
    """Write a run; scores keep every digit.

    Raises:
        InputError: an id is empty or holds a blank.
        EnvironmentProblem: the folder is not writable.
    """
    lines = ((row.query_id, "Q0", row.candidate_id, row.rank, repr(row.score), row.system) for row in rows)
    write_lines(path, lines, separator=" ")


def read_qrels(path: Path) -> list[QrelsRow]:
    """Read judgments, in the order of their lines.

    Raises:
        InputError: the file cannot be read, or a line cannot be understood.
    """
    rows = []
    for line in read_lines(path, QRELS_LAYOUT):
        query_id, _, candidate_id, gain = line.fields
        rows.append(QrelsRow(query_id, candidate_id, line.integer(gain, "gain")))
    return rows


def is_qrels(path: Path) -> bool:
    """Whether a file of judgments is in the format of TREC, by the number of columns of its first line."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            columns = next((line.split() for line in file if line.strip()), [])
    except (OSError, UnicodeDecodeError):
        return False  # the reader of the official format reports the error
    return len(columns) == len(QRELS_LAYOUT.split())


def write_qrels(path: Path, rows: Iterable[QrelsRow]) -> None:
    """Write judgments.

    Raises:
        InputError: an id is empty or holds a blank.
        EnvironmentProblem: the folder is not writable.
    """
    write_lines(path, ((row.query_id, 0, row.candidate_id, row.gain) for row in rows), separator=" ")
