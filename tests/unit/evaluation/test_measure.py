"""What holds for every ranking, of every measure; each example is put to all measures at once."""

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqa_spark.evaluation.evaluate import CANDIDATE, MeasuredPatterns, evaluate, expected_components, patterns
from cqa_spark.evaluation.files.semeval import ranked_file, read_official
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


CANDIDATES = st.lists(
    st.builds(Candidate, st.booleans(), st.sampled_from([0.0, 1.0, 2.0]), st.booleans(), st.floats(-1, 1)), max_size=6
)


@given(st.lists(st.tuples(CANDIDATES, CANDIDATES), min_size=1, max_size=5), st.booleans())
def test_remembered_measures_are_those_of_each_query(queries, with_scores: bool) -> None:
    measures = [parse_measure(name) for name in ("MAP@10", "nDCG@3", "F1", *(["Pearson"] if with_scores else []))]
    known = MeasuredPatterns(measures)
    for ranked, unranked in queries * 2:
        both = enumerate([*ranked, *unranked])
        rows = [(place < len(ranked), *candidate) for place, candidate in both]
        query = RankedQuery(ranked, unranked)
        [pattern] = patterns(np.array(rows, CANDIDATE), np.array([len(rows)]), keep_scores=with_scores)
        found = known.components(pattern)
        assert found.components == tuple(measure.components(query) for measure in measures)
        assert found.values == tuple(measure.value(query) for measure in measures)


# What is expected of a random order, by hand.

HIT, MISS = Candidate(True, 1.0, True, 0.9), Candidate(False, 0.0, True, 0.1)


def expected(written: str, candidates: list[Candidate], *, unranked: int = 0) -> tuple[float, ...]:
    query = RankedQuery(candidates, [HIT] * unranked)
    (components,) = expected_components([parse_measure(written)], query, "Q1")
    return components


@pytest.mark.parametrize(
    ("written", "value"),
    [("P@1", 1 / 3), ("MRR@10", (1 + 1 / 2 + 1 / 3) / 3), ("MAP@10", (1 + 1 / 2 + 1 / 3) / 3), ("P@2", 1 / 3)],
)
def test_few_candidates_are_put_into_every_order(written: str, value: float) -> None:
    for candidates in ([HIT, MISS, MISS], [MISS, MISS, HIT]):
        assert expected(written, candidates) == pytest.approx((value,))


def test_two_hits_of_three() -> None:
    # Both first: 1; first and third: (1 + 2/3) / 2; last two: (1/2 + 2/3) / 2.
    assert expected("MAP@10", [HIT, MISS, HIT]) == pytest.approx(((1 + 5 / 6 + 7 / 12) / 3,))


def test_what_was_not_ranked_is_not_found() -> None:
    assert expected("Recall", [HIT], unranked=1) == (1.0, 2.0)


def test_many_candidates_are_put_into_orders_that_the_query_decides_on() -> None:
    candidates = [HIT] * 2 + [MISS] * 8
    drawn = expected("P@1", candidates)
    assert drawn == pytest.approx((0.2,), abs=0.04)
    assert expected("P@1", candidates) == drawn


def test_an_order_at_random_has_no_scores() -> None:
    assert expected("Pearson", [HIT, MISS]) == (2.0, 0.0, 1.0, 0.0, 1.0, 0.0)


def test_a_prediction_file_of_a_random_order_is_scored_by_the_expectation(tmp_path: Path) -> None:
    gold, prediction = tmp_path / "gold", tmp_path / "prediction"
    labels = {"C1": "true", "C2": "false", "C3": "false"}
    gold.write_text("".join(f"Q1\t{one}\t1\t0\t{label}\n" for one, label in labels.items()))
    prediction.write_text("".join(f"Q1\t{one}\t1\t{score}\ttrue\n" for score, one in enumerate(labels)))
    ranking = ranked_file(read_official(gold), read_official(prediction))
    assert evaluate(ranking, ["MAP@10"]) == {"MAP@10": pytest.approx(1 / 3)}
    assert evaluate(ranking, ["MAP@10"], at_random=True) == {"MAP@10": pytest.approx((1 + 1 / 2 + 1 / 3) / 3)}
