"""Intervals and tests over queries."""

import warnings

import numpy as np
import pytest
from scipy import stats

from cqa_spark.evaluation.measure import Candidate, Measure, RankedQuery
from cqa_spark.evaluation.measures import parse_measure
from cqa_spark.evaluation.statistics import bootstrap as resampling
from cqa_spark.evaluation.statistics.bootstrap import bootstrap_intervals
from cqa_spark.evaluation.statistics.tests import holm, randomization_test
from cqa_spark.tasks.semeval import QuestionComment

DEFAULT_MEASURES = QuestionComment.measures

MAP, AVG_REC, PRECISION, PEARSON = map(parse_measure, ("MAP@10", "AvgRec@10", "Precision", "Pearson"))


def means(values: list[float]) -> np.ndarray:
    """Components of one system under a mean measure, shape (queries, 1)."""
    return np.array(values)[:, None]


def pairs(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Components of one system under Pearson's correlation, a pair a query, shape (queries, 6)."""
    return np.stack([np.ones(len(gold)), scores, gold, scores**2, gold**2, scores * gold], axis=-1)


@pytest.fixture
def two_systems() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(1)
    baseline = draw.random(60)
    return means(baseline), means(baseline + draw.normal(0.03, 0.1, 60))


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class TestIntervals:
    def test_agree_with_scipy_on_the_mean(self, two_systems) -> None:
        low, high, _ = bootstrap_intervals({MAP: np.stack(two_systems)}, resamples=999, seed=3)[MAP]
        for index, system in enumerate(two_systems):
            expected = stats.bootstrap(
                (system[:, 0],), np.mean, n_resamples=999, method="percentile", rng=np.random.default_rng(3)
            ).confidence_interval
            assert (low[index], high[index]) == pytest.approx(tuple(expected), abs=1e-11)

    def test_aggregate_what_was_drawn_not_the_mean_of_ratios(self) -> None:
        components = np.array([[[1.0, 1.0], [0.0, 9.0]]])
        low, high, _ = bootstrap_intervals({PRECISION: components}, resamples=999, confidence=0.2)[PRECISION]
        assert (low[0], high[0]) == (0.1, 0.1)

    def test_one_query_is_a_point(self) -> None:
        found = bootstrap_intervals({MAP: np.array([[[0.25]], [[1.0]]])})
        assert found == {MAP: (*(pytest.approx([0.25, 1]),) * 2, pytest.approx([0, 0]))}

    def test_a_difference_is_resampled_in_pairs(self, two_systems) -> None:
        both = np.stack(two_systems)
        low, high, error = bootstrap_intervals({MAP: both}, resamples=999, seed=3, differences=[(1, 0)])[MAP]
        gain = bootstrap_intervals({MAP: (both[1] - both[0])[None]}, resamples=999, seed=3)[MAP]
        assert (low[2], high[2], error[2]) == pytest.approx((gain.low[0], gain.high[0], gain.standard_error[0]))
        alone = bootstrap_intervals({MAP: np.array([[[0.25]], [[1.0]]])}, differences=[(0, 1)])[MAP]
        assert (alone.low[2], alone.high[2]) == (-0.75, -0.75)

    def test_the_standard_error_of_a_mean_is_that_of_its_queries(self) -> None:
        values = np.linspace(0, 1, 200)
        found = bootstrap_intervals({MAP: values[None, :, None]}, resamples=999, seed=3)[MAP]
        assert found.standard_error == pytest.approx(values.std() / np.sqrt(200), rel=0.1)

    def test_equal_queries_are_a_point(self) -> None:
        low, high, _ = bootstrap_intervals({MAP: np.full((1, 50, 1), 0.5)})[MAP]
        assert (low[0], high[0]) == (0.5, 0.5)

    @pytest.mark.parametrize("written", DEFAULT_MEASURES)
    def test_nothing_to_count_is_zero(self, written: str) -> None:
        width = {"AvgRec@10": 20}.get(written, 2)
        measure = parse_measure(written)
        low, high, _ = bootstrap_intervals({measure: np.zeros((1, 5, width))}, resamples=99)[measure]
        assert (low[0], high[0]) == (0.0, 0.0)

    def test_seed_decides(self, two_systems) -> None:
        both = {MAP: np.stack(two_systems)}
        first, again, other = (bootstrap_intervals(both, seed=seed)[MAP] for seed in (5, 5, 6))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


class TestRandomizationTest:
    def test_every_swap_of_few_queries_is_tried(self) -> None:
        p_values = randomization_test({MAP: means([1, 1, 1, 1])[None]}, {MAP: means([0, 0, 0, 0])})[MAP]
        assert p_values.tolist() == [2 / 2**4]

    def test_agrees_with_sign_flips_of_the_mean(self, two_systems) -> None:
        baseline, system = two_systems
        found = randomization_test({MAP: system[None]}, {MAP: baseline})[MAP]
        flips = stats.permutation_test(
            ((system - baseline)[:, 0],),
            np.mean,
            permutation_type="samples",
            n_resamples=99_999,
            rng=np.random.default_rng(0),
        )
        assert found[0] == pytest.approx(flips.pvalue, abs=0.02)
        assert 0.001 < found[0] < 0.2

    def test_swaps_counts_not_values(self) -> None:
        system, baseline = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])
        assert randomization_test({PRECISION: system[None]}, {PRECISION: baseline})[PRECISION].tolist() == [0.5]

    def test_system_that_equals_the_baseline(self, two_systems) -> None:
        baseline, system = two_systems
        p_values = randomization_test({MAP: np.stack([baseline, system])}, {MAP: baseline})[MAP]
        assert p_values[0] == 1
        assert p_values[1] < 1

    def test_no_chance_without_a_second_query(self) -> None:
        assert randomization_test({MAP: means([1.0])[None]}, {MAP: means([0.0])})[MAP].tolist() == [1]

    def test_no_systems(self) -> None:
        assert randomization_test({MAP: np.zeros((0, 3, 1))}, {MAP: means([0, 1, 1])})[MAP].tolist() == []

    def test_sums_in_another_order_tie(self) -> None:
        values = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 1 / 3, 1 / 7]
        assert randomization_test({MAP: means(values[::-1])[None]}, {MAP: means(values)})[MAP].tolist() == [1]


@pytest.fixture
def three_systems() -> dict[Measure, np.ndarray]:
    """Components of three systems on 40 queries, by measure."""
    draw = np.random.default_rng(2)
    widths = {measure: measure.width for measure in (MAP, AVG_REC, PRECISION)}
    return {measure: draw.random((3, 40, width)) for measure, width in widths.items()}


def figures(components: dict[Measure, np.ndarray]) -> dict[Measure, list[list[float]]]:
    """The ends of the intervals and the p-values."""
    others, first = ({measure: each[part] for measure, each in components.items()} for part in (slice(1, None), 0))
    tests = randomization_test(others, first, resamples=500)
    intervals = bootstrap_intervals(components, resamples=500)
    return {measure: [*map(list, intervals[measure]), list(tests[measure])] for measure in components}


def test_measures_together_give_what_each_gives_alone(three_systems) -> None:
    together = figures(three_systems)
    for measure, components in three_systems.items():
        for numbers, alone in zip(together[measure], figures({measure: components})[measure], strict=True):
            assert numbers == pytest.approx(alone, rel=1e-14)  # processors sum arrays of another shape in another order


def test_batches_do_not_change_what_is_drawn(monkeypatch, three_systems) -> None:
    whole = figures(three_systems)
    monkeypatch.setattr(resampling, "_CELLS", 40 * 7)
    assert figures(three_systems) == whole


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [([0.04], [0.04]), ([0.03, 0.01, 0.04], [0.06, 0.03, 0.06]), ([0.5, 0.9], [1, 1]), ([], [])],
)
def test_p_values_of_several_tests_are_adjusted(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(np.array(p_values)).tolist() == pytest.approx(adjusted)


class TestCorrelations:
    def test_scores_on_another_scale_are_the_same_system(self) -> None:
        draw = np.random.default_rng(4)
        gold = draw.normal(size=80)
        one, other = gold + draw.normal(size=80), gold + draw.normal(size=80)
        p_values = [
            randomization_test({PEARSON: pairs(one, gold)[None]}, {PEARSON: pairs(scaled, gold)}, resamples=199)
            for scaled in (other, 100 * other - 7)
        ]
        assert p_values[0][PEARSON] == pytest.approx(p_values[1][PEARSON])

    def test_standardised_components_have_the_same_correlation(self) -> None:
        components = pairs(np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0, 5.0]))
        scaled = PEARSON.on_one_scale(components)
        assert PEARSON.total(scaled.tolist()) == pytest.approx(PEARSON.total(components.tolist()))
        assert scaled.sum(axis=0)[[0, 1, 3]] == pytest.approx([3, 0, 3])

    def test_constant_scores_have_no_scale(self) -> None:
        components = pairs(np.full(3, 2.0), np.array([0.0, 3.0, 5.0]))
        assert PEARSON.on_one_scale(components).tolist() == components.tolist()


def test_more_queries_are_resampled_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cqa_spark.evaluation.statistics.bootstrap.MANY", 4)
    monkeypatch.setattr("cqa_spark.evaluation.statistics.bootstrap.GROUPS", 2)
    few, many = ({MAP: np.arange(queries, dtype=float).reshape(1, queries, 1)} for queries in (4, 5))
    assert resampling.in_groups(few, 1) == (few, None)
    sums, sizes = resampling.in_groups(many, 1)
    order = np.random.default_rng(1).permutation(5)
    assert sums[MAP].ravel().tolist() == [order[:2].sum(), order[2:].sum()]
    assert sizes.tolist() == [2, 3]


def test_topics_are_resampled_with_all_their_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    components = {MAP: np.array([[[1.0], [2.0], [4.0], [8.0]]])}
    sums, sizes = resampling.in_groups(components, 1, np.array([7, 3, 7, 5]))
    assert (sums[MAP].ravel().tolist(), sizes.tolist()) == ([2.0, 8.0, 5.0], [1, 1, 2])
    assert resampling.in_groups(components, 1, np.arange(4)) == (components, None)
    monkeypatch.setattr("cqa_spark.evaluation.statistics.bootstrap.MANY", 2)
    monkeypatch.setattr("cqa_spark.evaluation.statistics.bootstrap.GROUPS", 2)
    sums, sizes = resampling.in_groups(components, 1, np.array([7, 3, 7, 5]))
    assert (sums[MAP].sum(), sizes.sum(), len(sizes)) == (15.0, 4, 2)
    assert {*sums[MAP].ravel().tolist()} & {1.0, 4.0} == set()  # the queries of topic 7 stay together


def test_a_huge_score_leaves_its_own_correlation_to_other_resamples() -> None:
    draw = np.random.default_rng(5)
    gold = draw.uniform(0, 5, 100)
    scores = gold + draw.normal(size=100)
    scores[0] = -1e9
    queries = [
        RankedQuery([Candidate(True, of_gold, True, score)])
        for of_gold, score in zip(gold.tolist(), scores.tolist(), strict=True)
    ]
    components = np.array(PEARSON.components_of(queries))
    found = bootstrap_intervals({PEARSON: components[None]}, resamples=1999, seed=1)[PEARSON]
    drawn = [np.corrcoef(gold[row], scores[row])[0, 1] for row in draw.integers(0, 100, (1999, 100))]
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert (low, high) == pytest.approx((-0.18, 0.84), abs=0.02)
    assert (found.low[0], found.high[0]) == pytest.approx((low, high), abs=0.02)
