"""Rankings judged as trec_eval does: runs and qrels of TREC, or scores and grades in mappings."""

import logging
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.coverage import some, warn_of_uncovered_queries
from cqa_spark.evaluation.judged_rankings import JudgedRanking, in_order
from cqa_spark.evaluation.pairs import NumberedPairs, found_among

MEASURES = ("AP@1000", "nDCG@10", "P@1", "P@10", "MRR@10")
"""Measures that equal those of trec_eval."""

Precision = Literal["double", "single"]

_UNJUDGED = -1

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
    found = found_among(grades, scores)
    grade = np.append(grades.number, _UNJUDGED)[found.judged]
    is_left_out, missed = found.query < 0, found.missed
    if options.judged_only:
        is_left_out |= grade < 0
    has_own_id = pc.equal(scores.candidates, scores.queries.take(pa.array(scores.query))).to_numpy()
    if options.ignore_identical_ids:
        is_left_out |= has_own_id
        missed = np.append(missed, found.judged[has_own_id & (found.judged >= 0)])
    elif number := len(np.unique(found.query[has_own_id & ~is_left_out])):
        _log.warning(
            "%s: %d of %d queries rank a document with their own id (--ignore-identical-ids leaves it out, as "
            "BEIR does)",
            run, number, len(grades.queries),
        )  # fmt: skip
    rows = np.flatnonzero(~is_left_out)
    query = np.append(found.query[rows], grades.query[missed])
    grade = np.append(grade[rows], grades.number[missed])
    score = np.append(scores.number[rows], np.zeros(len(missed)))
    is_ranked, gain = np.arange(len(query)) < len(rows), np.maximum(grade, 0)
    other: Precision = "single" if options.precision == "double" else "double"
    order, other_order = (
        _best_first(query, is_ranked, score, scores, rows, each) for each in (options.precision, other)
    )
    changed = np.unique(query[order][gain[order] != gain[other_order]])
    _warn_of_near_ties(run, grades.queries, changed, options.precision, other)
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
        rows: pairs of the run that the documents are which it ranks, the first ones.
        precision: precision in which scores are compared.
    """
    with np.errstate(over="ignore"):
        compared = score.astype(np.float32) if precision == "single" else score
    keys = -compared, ~is_ranked, query
    order = np.lexsort(keys).astype(np.int32)
    equal = np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in keys])
    tied = np.flatnonzero((np.append(equal, False) | np.append(False, equal)) & is_ranked[order])
    if len(tied):
        documents = order[tied]
        by_id = np.empty(len(tied), np.int64)
        ids = run.candidates.take(pa.array(rows[documents])).combine_chunks()
        by_id[pc.array_sort_indices(ids, order="descending").to_numpy()] = np.arange(len(tied))
        order[tied] = documents[np.lexsort((by_id, *(key[documents] for key in keys)))]
    return order


def _warn_of_near_ties(
    run: str, queries: pa.StringArray, changed: NDArray[np.int64], used: Precision, other: Precision
) -> None:
    """Log the queries whose documents of different grades are ordered otherwise in the other precision."""
    if len(changed):
        _log.warning(
            "%s: scores of %d of %d queries are so close that the measures differ between %s precision, used here, and "
            "%s (--precision; trec_eval 9, pytrec_eval and ir_measures compare in single precision): %s",
            run, len(changed), len(queries), used, other, some(sorted(queries.take(pa.array(changed)).to_pylist())),
        )  # fmt: skip
