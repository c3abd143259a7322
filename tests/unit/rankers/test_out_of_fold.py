"""Thresholds are the cuts with the highest value of a measure, compared with trying every cut."""

import sys
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.measure import Candidate, RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.rankers.out_of_fold import best_threshold, best_truncation

Example = tuple[int, float, bool]


def _tmap(examples: list[Example], threshold: float, missed: list[int]) -> float:
    measure = parse_measure("TMAP")
    ranked = sorted(examples, key=lambda example: (example[0], -example[1]))
    queries = [
        RankedQuery(
            [Candidate(hit, float(hit), score >= threshold) for _, score, hit in of_query],
            [Candidate(relevant=True, gain=1.0)] * missed[query],
        )
        for query, of_query in groupby(ranked, key=lambda example: example[0])
    ]
    return sum(measure.value(query) for query in queries) / len(queries)


def _best(examples: list[Example], missed: list[int] | None = None) -> float:
    query, score, hit = zip(*examples, strict=True)
    by_example = None if missed is None else np.array(missed, np.float64)[list(query)]
    return best_truncation(np.array(score), np.array(hit), np.array(query), by_example)


def test_rankings_are_cut_after_hits_that_score_above_misses() -> None:
    assert _best([(1, 0.9, True), (1, 0.2, False), (2, 0.3, False), (3, 0.1, False)]) == 0.9


def test_empty_rankings_are_best_where_misses_score_highest() -> None:
    assert _best([(1, 0.9, False), (2, 0.8, False), (3, 0.1, True)]) == sys.float_info.max


def test_an_empty_ranking_is_wrong_where_retrieval_missed_the_duplicate() -> None:
    examples = [(0, 0.6, True), (1, 0.8, False), (2, 0.8, False)]
    assert _best(examples) == sys.float_info.max
    assert _best(examples, [0, 0, 1]) == 0.6


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 6).map(float), st.booleans()),
        min_size=1,
        max_size=14,
        unique_by=lambda example: example[:2],
    ),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
def test_no_threshold_is_better(examples: list[Example], missed: list[int]) -> None:
    thresholds = [*{score for _, score, _ in examples}, sys.float_info.max]
    best = max(_tmap(examples, threshold, missed) for threshold in thresholds)
    assert _tmap(examples, _best(examples, missed), missed) == pytest.approx(best, abs=1e-12)


def test_the_threshold_is_the_cut_that_serves_the_measure_best() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.7, 0.3, 0.2, 0.1])
    relevant = np.array([True, False, True, True, False, False, True])
    # Cut at 0.7: three hits, one false hit, one missed.
    assert best_threshold(scores, relevant) == 0.7
    more, all_relevant = np.append(scores, [0.05] * 9), np.append(relevant, [True] * 9)
    assert best_threshold(more, all_relevant) == 0.05
