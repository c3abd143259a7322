"""Rankings judged as trec_eval does: runs and qrels of TREC, or scores and grades in mappings."""

import logging
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from cqa_spark.errors import ConfigError, InputError
from cqa_spark.evaluation.coverage import some, warn_of_uncovered_queries
from cqa_spark.evaluation.judged_rankings import JudgedRanking
from cqa_spark.evaluation.ranked_query import Candidate, RankedQuery

MEASURES = ("AP@1000", "nDCG@10", "P@1", "P@10", "MRR@10")
"""Measures that equal those of trec_eval."""

Precision = Literal["double", "single"]
Grades = Mapping[str, Mapping[str, float]]
RunScores = Mapping[str, Mapping[str, float]]

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

    Raises:
        ConfigError: the level is not above 0, or the precision is another word.
    """

    relevance_level: float = 1
    precision: Precision = "double"
    judged_only: bool = False

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
    grades: Grades,
    scores: RunScores,
    options: TrecOptions = TrecOptions(),
    *,
    names: tuple[str, str] = ("the judgments", "the run"),
) -> JudgedRanking:
    """The queries of the judgments, ranked by scores, as trec_eval does with ``-c``.

    Documents are ordered by score, descending; ties by id, descending. A document is relevant if its grade is at least
    the relevance level. A negative grade is no judgment. Documents without judgment are not relevant. A query without a
    ranking counts 0. A warning counts such queries, and those without judgments, which are ignored.

    Args:
        grades: graded relevance of each judged document, by query.
        scores: score of each ranked document, by query.
        options: how runs are ranked and judged.
        names: names of judgments and run, for messages.

    Raises:
        InputError: no query is in both.
    """
    judgments, run = names
    if not grades.keys() & scores.keys():
        raise InputError(f"{run} has no query in common with {judgments}", "give the qrels of the same queries")
    warn_of_uncovered_queries(judgments, run, grades.keys(), scores.keys(), counted=True)
    _warn_of_near_ties(run, grades, scores, options)
    queries = {query: _ranked(of_query, scores.get(query, {}), options) for query, of_query in grades.items()}
    return JudgedRanking(run, queries, predicts_labels=False)


def _ranked(grades: Mapping[str, float], scores: Mapping[str, float], options: TrecOptions) -> RankedQuery:
    best_first = _best_first(grades, scores, options)
    missed = [grade for document, grade in grades.items() if document not in scores]
    level = options.relevance_level
    return RankedQuery(
        [_judged(grades.get(document, _UNJUDGED), level, scores[document]) for document in best_first],
        [_judged(grade, level) for grade in missed],
    )


def _best_first(grades: Mapping[str, float], scores: Mapping[str, float], options: TrecOptions) -> list[str]:
    """The documents by score, and ties by id, both descending."""
    if options.judged_only:
        scores = {document: score for document, score in scores.items() if grades.get(document, _UNJUDGED) >= 0}
    if options.precision == "single":
        scores = dict(zip(scores, array("f", scores.values()), strict=True))
    return sorted(sorted(scores, reverse=True), key=lambda document: -scores[document])


def _warn_of_near_ties(run: str, grades: Grades, scores: RunScores, options: TrecOptions) -> None:
    """Log the queries whose documents of different grades are ordered otherwise in the other precision."""
    other = replace(options, precision="single" if options.precision == "double" else "double")
    changed = []
    for query, of_query in grades.items():
        orders = (_best_first(of_query, scores.get(query, {}), each) for each in (options, other))
        gains, other_gains = ([max(of_query.get(document, _UNJUDGED), 0) for document in order] for order in orders)
        if gains != other_gains:
            changed.append(query)
    if changed:
        _log.warning(
            "%s: scores of %d of %d queries are so close that the measures differ between %s precision, used here, and "
            "%s (--precision; trec_eval 9, pytrec_eval and ir_measures compare in single precision): %s",
            run, len(changed), len(grades), options.precision, other.precision, some(sorted(changed)),
        )  # fmt: skip


def _judged(grade: float, relevance_level: float, score: float = 0.0) -> Candidate:
    return Candidate(relevant=grade >= relevance_level, gain=max(grade, 0), score=score, judged=grade >= 0)
