"""Prediction and gold files of SemEval Task 3."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.evaluation.column_reading import numbers, read_columns
from cqa_spark.evaluation.line_reading import Line, line_of
from cqa_spark.evaluation.line_writing import write_lines
from cqa_spark.evaluation.pairs import Batch, NumberedPairs, pairs

LAYOUT = "query candidate rank score true|false"


_LABELS = pa.array(["true", "false"])


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
                _refuse(line_of(columns.first + int(wrong.argmax()), path, LAYOUT))
            labels.append(is_relevant.to_numpy() == 0)
            ranks.append(rank.dictionary_encode())
            yield query, candidate, scores

    found, encoded = pairs(batches()), pa.chunked_array(ranks).unify_dictionaries()
    if (row := found.repeated()) is not None:
        query_id, candidate_id = found.name(row)
        raise line_of(row, path, LAYOUT).error(f"candidate {candidate_id} of query {query_id} is in the file twice")
    rank = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return OfficialFile(path, found, np.concatenate(labels), encoded.chunk(0).dictionary, rank)


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


def _refuse(line: Line) -> NoReturn:
    """Say what is wrong with a line."""
    *_, score, label = line.fields
    if label.lower() not in _LABELS.to_pylist():
        raise line.error(f"label {label!r} is neither true nor false")
    raise line.error(f"score {score!r} is not a finite number")
