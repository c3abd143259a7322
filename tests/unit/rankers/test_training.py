"""Training without Spark: the workers of a group are threads."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError
from sklearn.linear_model import LogisticRegression, Ridge

from cqa_spark.errors import ConfigError
from cqa_spark.rankers.boosted_trees import TreeLearning
from cqa_spark.rankers.linear import LinearLearning, LinearWeights, LossName
from cqa_spark.rankers.logistic_regression import LogisticRegressionParameters
from cqa_spark.rankers.training import TaskRows, read_rows
from cqa_spark.rankers.training_group import TrainingGroup, connected, started_tracker

ALONE = TrainingGroup()


def together(work: Callable[[TrainingGroup, int], Any], workers: int) -> list[Any]:
    """What the workers of a group return; they are threads."""
    tracker = started_tracker("127.0.0.1", workers)

    def connect(number: int) -> Any:
        with connected(number, workers, tracker) as group:
            return work(group, number)

    with ThreadPoolExecutor(workers) as threads:
        return list(threads.map(connect, range(workers)))


def test_workers_get_the_sums_the_maxima_and_the_values_of_the_first() -> None:
    def work(group: TrainingGroup, number: int) -> list[list[float]]:
        values = np.array([1.0 + number, -1.0 - number])
        return [combine(values).tolist() for combine in (group.total, group.highest, group.from_first)]

    assert together(work, 3) == [[[6.0, -6.0], [3.0, -1.0], [1.0, -1.0]]] * 3
    assert work(ALONE, 4) == [[5.0, -5.0]] * 3


def learn_together(learn: Callable[[TaskRows, TrainingGroup], str | None], parts: list[TaskRows]) -> str:
    first, *others = together(lambda group, number: learn(parts[number], group), len(parts))
    assert others == [None] * len(others)
    return first


def batch(targets, queries, values) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {
            "target": pa.array(targets, pa.float64()),
            "relevant": pa.array([None if target is None else target > 0 for target in targets]),
            "query": pa.array(queries, pa.int64()),
            "values": pa.array(list(values), pa.list_(pa.float32())),
        }
    )


@pytest.fixture(scope="module")
def table() -> pa.RecordBatch:
    """700 rows of 3 features; the last feature is constant."""
    random = np.random.default_rng(5)
    values = np.column_stack([random.normal(3, 2, 700), random.normal(size=700), np.full(700, 0.1)])
    targets = (values[:, 0] - 3 + random.normal(size=700) > 0).astype(float)
    queries = np.repeat(np.arange(70), 10)
    return batch(targets, queries, values)


def features_of(table: pa.RecordBatch) -> NDArray[np.float64]:
    return np.array(table["values"].to_pylist())


def split(table: pa.RecordBatch, workers: int, rows: int = 50) -> list[TaskRows]:
    """The rows of each worker, which receives them in batches."""
    worker = np.asarray(table["query"]) % workers
    parts = [table.filter(pa.array(worker == number)) for number in range(workers)]
    return [
        read_rows([part.slice(start, rows) for start in range(0, part.num_rows, rows)], 3, np.float64) for part in parts
    ]


def weights_of(learned: str | None) -> NDArray[np.float64]:
    weights = LinearWeights.model_validate_json(learned or "")
    return np.concatenate([weights.mean, weights.std, weights.coefficients, [weights.intercept]])


@pytest.mark.parametrize("loss", ["logistic", "squared", "choice"])
def test_weights_hardly_depend_on_the_number_of_workers(table: pa.RecordBatch, loss: LossName) -> None:
    learn = LinearLearning(loss, l2=0.01, iterations=50)
    alone = learn(split(table, 1)[0], ALONE)
    assert learn(split(table, 1, rows=7)[0], ALONE) == alone
    for workers in (2, 7):
        shared = learn_together(learn, split(table, workers))
        assert weights_of(shared) == pytest.approx(weights_of(alone), abs=1e-9)
        assert learn_together(learn, split(table, workers)) == shared


def test_a_logistic_regression_is_that_of_scikit_learn(table: pa.RecordBatch) -> None:
    weights = LinearWeights.model_validate_json(LinearLearning("logistic", 0.01, 200)(split(table, 1)[0], ALONE))
    values = features_of(table)
    assert weights.mean == pytest.approx(values.mean(axis=0))
    assert weights.std[:2] == pytest.approx(values.std(axis=0, ddof=1)[:2])
    assert (weights.std[2], weights.coefficients[2]) == (0.0, 0.0)
    scaled = (values[:, :2] - weights.mean[:2]) / weights.std[:2]
    expected = LogisticRegression(C=1 / (0.01 * 700), tol=1e-10, max_iter=1000).fit(scaled, table["target"])
    assert weights.coefficients[:2] == pytest.approx(expected.coef_[0], abs=1e-4)
    assert weights.intercept == pytest.approx(expected.intercept_[0], abs=1e-4)


def test_a_ridge_regression_is_that_of_scikit_learn(table: pa.RecordBatch) -> None:
    weights = LinearWeights.model_validate_json(LinearLearning("squared", 0.1, 200)(split(table, 1)[0], ALONE))
    values, targets = features_of(table)[:, :2], np.array(table["target"])
    scaled = (values - weights.mean[:2]) / weights.std[:2]
    expected = Ridge(alpha=0.1 / targets.std() * 700, tol=1e-12).fit(scaled, targets)
    assert weights.coefficients[:2] == pytest.approx(expected.coef_, abs=1e-5)


def test_a_choice_depends_on_differences_within_the_query_only(table: pa.RecordBatch) -> None:
    learn = LinearLearning("choice", l2=1e-8, iterations=500)
    values = features_of(table)
    values[:, 0] += 3.0 * np.array(table["query"])
    index = table.schema.get_field_index("values")
    shifted = table.set_column(index, table.schema.field(index), pa.array(values.tolist(), pa.list_(pa.float32())))
    slopes = []
    for rows in (shifted, table):
        weights = LinearWeights.model_validate_json(learn(split(rows, 1)[0], ALONE))
        slopes.append(np.array(weights.coefficients[:2]) / weights.std[:2])
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-3)


def test_a_coefficient_with_a_sign_is_at_least_or_at_most_0(table: pa.RecordBatch) -> None:
    def coefficients(*signs: int) -> tuple[float, ...]:
        learn = LinearLearning("choice", l2=0.01, iterations=200, signs=signs)
        return LinearWeights.model_validate_json(learn(split(table, 1)[0], ALONE)).coefficients

    free = coefficients()
    assert free[0] > 0
    assert coefficients(1, 0, 0) == pytest.approx(free, abs=1e-5)
    assert coefficients(-1, 0, 0)[0] == 0
    other = 1 if free[1] < 0 else -1
    assert coefficients(0, other, 0)[1] == 0


@given(st.lists(st.lists(st.floats(-1e6, 1e6, width=32), max_size=5), min_size=1, max_size=4))
@settings(max_examples=20, deadline=None)
def test_features_are_scaled_by_the_moments_of_all_rows(parts: list[list[float]]) -> None:
    values = np.array([value for part in parts for value in part])
    assume(len(values) > 1)
    rows = [
        read_rows([batch([0.0] * len(part), [0] * len(part), [[v] for v in part])], 1, np.float64) for part in parts
    ]
    learn = LinearLearning("squared", l2=1.0, iterations=1)
    weights = LinearWeights.model_validate_json(learn_together(learn, rows))
    assert weights.mean == pytest.approx([values.mean()], rel=1e-9, abs=1e-6)
    assert weights.std == pytest.approx([values.std(ddof=1)], rel=1e-6, abs=1e-6)
    assert (weights.std == (0.0,)) == (values.min() == values.max())


def test_rows_without_label_are_left_out_and_bad_values_are_found() -> None:
    given_rows = batch([1.0, None, 0.0], [5, 5, 6], [[1, float("nan"), None], [1, 1, 1], [2, 2, 2]])
    rows = read_rows([given_rows.slice(0, 1), given_rows.slice(1, 2)], 3, np.float32)
    assert (len(rows), rows.unlabelled, rows.bad.tolist()) == (2, 1, [False, True, True])
    assert rows.query_starts.tolist() == [0, 1]
    assert rows.values[1:].tolist() == [[2.0, 2.0, 2.0]]


def test_a_task_without_rows_has_no_query() -> None:
    assert read_rows([], 2, np.float32).query_starts.tolist() == []


def test_trees_see_the_candidates_of_a_query_together(table: pa.RecordBatch) -> None:
    parameters = {"objective": "rank:pairwise", "max_depth": 2, "tree_method": "hist", "nthread": 1}
    learn = TreeLearning(parameters, 3, ("f__a", "f__b", "f__c"), by_query=True)
    model = json.loads(learn(split(table, 1)[0], ALONE))
    assert model["learner"]["feature_names"] == ["f__a", "f__b", "f__c"]
    assert len(model["learner"]["gradient_booster"]["model"]["trees"]) == 3


def test_trees_do_not_depend_on_the_number_of_cores(table: pa.RecordBatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cqa_spark.rankers.boosted_trees._THREADED_FROM", 1)
    parameters = {"objective": "rank:pairwise", "max_depth": 4, "tree_method": "hist", "subsample": 0.5, "seed": 3}
    learn = TreeLearning(parameters, 20, ("f__a", "f__b", "f__c"), by_query=True)
    rows = split(table, 1)[0]
    assert learn(rows, TrainingGroup(cores=3)) == learn(rows, ALONE)


class Frame:
    """A DataFrame of some rows, whose estimated size is large."""

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def count(self) -> int:
        return self._rows


@pytest.mark.parametrize(
    ("rows", "features", "workers"), [(0, 3, 1), (1_000_000, 100, 1), (1_000_001, 100, 2), (36_000_000, 200, 72)]
)
def test_workers_are_chosen_by_rows_and_features(
    monkeypatch: pytest.MonkeyPatch, rows: int, features: int, workers: int
) -> None:
    monkeypatch.setattr("cqa_spark.rankers.training.estimated_bytes", lambda frame: 1 << 40)
    assert LogisticRegressionParameters().workers_for(Frame(rows), features) == workers
    assert LogisticRegressionParameters(workers=5).workers_for(Frame(rows), features) == 5


def test_several_workers_are_refused_before_rows_move_where_executors_come_and_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cqa_spark.rankers.training.estimated_bytes", lambda frame: 1 << 40)
    monkeypatch.setattr("cqa_spark.rankers.training_group.executors_come_and_go", lambda: True)
    assert LogisticRegressionParameters().workers_for(Frame(1_000_000), 100) == 1
    with pytest.raises(ConfigError, match="2 training workers"):
        LogisticRegressionParameters().workers_for(Frame(1_000_001), 100)


def test_workers_are_a_number_above_0() -> None:
    with pytest.raises(ValidationError, match="workers"):
        LogisticRegressionParameters(workers=0)
