"""What holds for every ranking, of every measure; each example is put to all measures at once."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.measure import Candidate, MeanMeasure, RankedQuery
from cqa_spark.evaluation.measures import MEASURES as REGISTERED
from cqa_spark.evaluation.measures import parse_measure

OFFICIAL_MEASURES = ("MAP@10", "AvgRec@10", "MRR@10", "Precision", "Recall", "F1", "Accuracy")

MEASURES = [parse_measure(written) for written in (*OFFICIAL_MEASURES, "P@1", "nDCG@10", "MAP@3", "AvgRec@1", "nDCG@2")]
MEAN_MEASURES = [measure for measure in MEASURES if isinstance(measure, MeanMeasure)]
RANKING_MEASURES = [measure for measure in MEASURES if measure.parameters()]
LABEL_MEASURES = [measure for measure in MEASURES if not measure.parameters()]
assert min(map(len, (MEAN_MEASURES, RANKING_MEASURES, LABEL_MEASURES))) > 2

candidates = st.builds(lambda gain, called: Candidate(gain > 0, gain, called), st.integers(0, 3), st.booleans())
rankings = st.lists(candidates, min_size=2, max_size=15)
queries = st.builds(RankedQuery, st.lists(candidates, max_size=15), st.lists(candidates, max_size=3))
query_sets = st.lists(queries, min_size=1, max_size=12)
seeds = st.integers(0, 99)


@given(several=query_sets)
def test_measures_are_fractions(several) -> None:
    for measure in MEASURES:
        assert all(0 <= measure.value(query) <= 1 for query in several)
        assert 0 <= measure.total(map(measure.components, several)) <= 1


@given(query=queries)
def test_every_query_has_the_same_number_of_components(query) -> None:
    for measure in (known() for known in REGISTERED.load_all().values()):
        assert len(measure.components(query)) == measure.width


@given(query=queries)
def test_total_of_one_query_is_its_value(query) -> None:
    for measure in MEASURES:
        assert measure.total([measure.components(query)]) == measure.value(query)


@given(several=query_sets, seed=seeds)
def test_total_does_not_depend_on_the_order_of_queries(several, seed) -> None:
    shuffled = random.Random(seed).sample(several, len(several))
    for measure in MEASURES:
        assert measure.total(map(measure.components, shuffled)) == measure.total(map(measure.components, several))


@given(several=query_sets, cut=st.integers(0, 12))
def test_sums_of_parts_are_the_sum_of_the_whole(several, cut) -> None:
    for measure in MEASURES:
        columns = zip(*map(measure.components, several), strict=True)
        parts = [math.fsum(column[:cut]) + math.fsum(column[cut:]) for column in columns]
        total = measure.total(map(measure.components, several))
        assert measure.aggregate(parts, len(several)) == pytest.approx(total, abs=1e-12)


@given(several=query_sets)
def test_means_are_means_over_all_queries(several) -> None:
    for measure in MEAN_MEASURES:
        mean = math.fsum(map(measure.value, several)) / len(several)
        assert measure.total(map(measure.components, several)) == mean


@given(ranked=rankings)
def test_perfect_ranking_reaches_the_ceiling(ranked) -> None:
    perfect = RankedQuery(sorted(ranked, key=lambda candidate: -candidate.gain))
    for measure in RANKING_MEASURES:
        assert measure.value(perfect) == float(any(candidate.relevant for candidate in ranked))


@given(ranked=rankings, place=st.integers(0, 13))
def test_moving_a_better_candidate_up_never_hurts(ranked, place) -> None:
    place = min(place, len(ranked) - 2)
    upper, lower = sorted(ranked[place : place + 2], key=lambda candidate: -candidate.gain)
    better = RankedQuery([*ranked[:place], upper, lower, *ranked[place + 2 :]])
    worse = RankedQuery([*ranked[:place], lower, upper, *ranked[place + 2 :]])
    for measure in map(parse_measure, ("nDCG@10", "AvgRec@10", "MRR@10", "P@1", "P@3")):
        assert measure.value(better) >= measure.value(worse)


@given(query=queries, seed=seeds)
def test_ranking_measures_do_not_depend_on_labels(query, seed) -> None:
    coin = random.Random(seed)
    relabelled = [candidate._replace(predicted=coin.random() < 0.5) for candidate in query.ranked]
    for measure in RANKING_MEASURES:
        assert measure.value(RankedQuery(relabelled, query.unranked)) == measure.value(query)


@given(query=queries, seed=seeds)
def test_label_measures_do_not_depend_on_ranks(query, seed) -> None:
    shuffled = random.Random(seed).sample(query.ranked, len(query.ranked))
    for measure in LABEL_MEASURES:
        assert measure.components(RankedQuery(shuffled, query.unranked)) == measure.components(query)
