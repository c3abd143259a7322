"""Training without Spark: the tasks of a group are threads."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Client
from threading import Barrier, Thread
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression, Ridge

from cqa_spark.rankers.linear_model import LinearWeights
from cqa_spark.rankers.logistic_regression import LogisticRegressionParameters
from cqa_spark.rankers.threshold import best_threshold
from cqa_spark.rankers.training.group import ConnectedTasks, SingleTask, TrainingGroup
from cqa_spark.rankers.training.linear import Buckets, LinearLearning
from cqa_spark.rankers.training.losses import LOSSES, LossName
from cqa_spark.rankers.training.moments import ColumnMoments, merged
from cqa_spark.rankers.training.rows import CANDIDATE, TaskRows, read_rows
from cqa_spark.rankers.training.trees import TreeLearning

BUCKETS = 8
FLOAT = np.dtype(np.float32)
ONE_QUERY = np.array([0])


class Threads:
    """A group of threads, seen from one of them."""

    host = "127.0.0.1"

    def __init__(self, number: int, messages: list[bytes], barrier: Barrier) -> None:
        self.number, self.tasks = number, len(messages)
        self._messages, self._barrier = messages, barrier

    def gather(self, message: bytes) -> list[bytes]:
        self._messages[self.number] = message
        self._barrier.wait(timeout=60)
        gathered = list(self._messages)
        self._barrier.wait(timeout=60)
        return gathered


def test_connected_tasks_get_the_messages_of_all_in_order() -> None:
    messages, barrier, gathered = [b""] * 3, Barrier(3), [[]] * 3

    def work(number: int) -> None:
        with closing(ConnectedTasks(Threads(number, messages, barrier))) as connected:
            gathered[number] = [connected.gather(each) for each in (bytes(number), b"x" * 100_000 * number, b"")]

    threads = [Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gathered == [[[b"", b"\0", b"\0\0"], [b"", b"x" * 100_000, b"x" * 200_000], [b""] * 3]] * 3


class TwoTasks:
    """Task 0 of two; the other one does what a function does with the address and the key, and does not train."""

    number, tasks, host = 0, 2, "127.0.0.1"

    def __init__(self, other: Callable[[int, bytes], None]) -> None:
        self._other = other

    def gather(self, message: bytes) -> list[bytes]:
        place = json.loads(message)
        self._other(place["port"], bytes.fromhex(place["key"]))
        return [message, b""]


def test_training_ends_when_a_worker_does_not_connect() -> None:
    with pytest.raises(TimeoutError, match=r"0 of 1 training workers connected to 127.0.0.1 within 0 s; allow"):
        ConnectedTasks(TwoTasks(lambda port, key: None), seconds=0)


def test_connections_without_the_key_and_silent_ones_are_closed() -> None:
    opened = []

    def connect(port: int, key: bytes) -> None:
        for message in (None, b"x" * 40, b"x" * 100, key + (1).to_bytes(8, "big")):
            opened.append(Client(("127.0.0.1", port)))
            if message is not None:
                opened[-1].send_bytes(message)

    with closing(ConnectedTasks(TwoTasks(connect))) as connected:
        opened[-1].send_bytes(b"hello")
        assert connected.gather(b"") == [b"", b"hello"]
    for each in opened[:3]:
        with pytest.raises((EOFError, OSError)):
            each.recv_bytes()


def learn_together(learn: Callable[[TaskRows, TrainingGroup], str | None], parts: list[TaskRows]) -> str:
    messages, barrier, learned = [b""] * len(parts), Barrier(len(parts)), [None] * len(parts)

    def work(number: int) -> None:
        learned[number] = learn(parts[number], Threads(number, messages, barrier))

    threads = [Thread(target=work, args=(number,)) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert learned[1:] == [None] * (len(parts) - 1)
    assert learned[0] is not None
    return learned[0]


def batch(targets, buckets, queries, values) -> pa.RecordBatch:
    candidates = [f"{place:04}" for place in range(len(targets))]
    return pa.RecordBatch.from_pydict(
        {
            "site": ["travel"] * len(targets),
            "task": ["question_answer"] * len(targets),
            "query_id": [f"{query:02}" for query in queries],
            "candidate_id": candidates,
            "target": pa.array(targets, pa.float64()),
            "relevant": pa.array([None if each is None else each > 0 for each in targets]),
            "query": pa.array(queries, pa.int64()),
            "bucket": pa.array(buckets, pa.int32()),
            "values": pa.array(list(values), pa.list_(pa.float32())),
        }
    )


@pytest.fixture(scope="module")
def table() -> pa.RecordBatch:
    """700 rows of 3 features in 8 buckets; the last feature is constant."""
    random = np.random.default_rng(5)
    values = np.column_stack([random.normal(3, 2, 700), random.normal(size=700), np.full(700, 0.1)])
    targets = (values[:, 0] - 3 + random.normal(size=700) > 0).astype(float)
    queries = np.repeat(np.arange(70), 10)
    buckets = np.sort(queries % BUCKETS)
    return batch(targets, buckets, queries, values)


def features_of(table: pa.RecordBatch) -> NDArray[np.float64]:
    return np.array(table["values"].to_pylist())


def split(table: pa.RecordBatch, tasks: int, rows: int = 50) -> list[TaskRows]:
    """The rows of each task, which receives them in batches."""
    worker = np.asarray(table["bucket"]) * tasks // BUCKETS
    found = []
    for task in range(tasks):
        own = table.filter(pa.array(worker == task))
        batches = [own.slice(start, rows) for start in range(0, own.num_rows, rows)]
        found.append(read_rows(batches, ("bucket", *CANDIDATE), 3, FLOAT))
    return found


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "choice"])
def test_weights_are_the_same_to_the_last_digit_for_any_number_of_tasks(table: pa.RecordBatch, loss: LossName) -> None:
    learn = LinearLearning(loss, l2=0.01, iterations=50)
    alone = learn(split(table, 1)[0], SingleTask())
    assert alone == learn(split(table, 1, rows=7)[0], SingleTask())
    for tasks in (2, 7):
        assert learn_together(learn, split(table, tasks)) == alone


def test_a_logistic_regression_is_that_of_scikit_learn(table: pa.RecordBatch) -> None:
    weights = LinearWeights.model_validate_json(LinearLearning("logistic", 0.01, 200)(split(table, 1)[0], SingleTask()))
    values = features_of(table)
    assert weights.mean == pytest.approx(values.mean(axis=0))
    assert weights.std[:2] == pytest.approx(values.std(axis=0, ddof=1)[:2])
    assert (weights.std[2], weights.coefficients[2]) == (0.0, 0.0)
    scaled = (values[:, :2] - weights.mean[:2]) / weights.std[:2]
    expected = LogisticRegression(C=1 / (0.01 * 700), tol=1e-10, max_iter=1000).fit(scaled, table["target"])
    assert weights.coefficients[:2] == pytest.approx(expected.coef_[0], abs=1e-4)
    assert weights.intercept == pytest.approx(expected.intercept_[0], abs=1e-4)


def test_a_ridge_regression_is_that_of_scikit_learn(table: pa.RecordBatch) -> None:
    weights = LinearWeights.model_validate_json(LinearLearning("squared", 0.1, 200)(split(table, 1)[0], SingleTask()))
    values, targets = features_of(table)[:, :2], np.array(table["target"])
    scaled = (values - weights.mean[:2]) / weights.std[:2]
    expected = Ridge(alpha=0.1 / targets.std() * 700, tol=1e-12).fit(scaled, targets)
    assert weights.coefficients[:2] == pytest.approx(expected.coef_, abs=1e-5)


@pytest.mark.parametrize("loss", [LOSSES["logistic"], LOSSES["squared"]])
def test_derivatives_are_those_of_the_losses(loss) -> None:
    for target in (0.0, 1.0):
        one = np.array([target])
        assert (
            check_grad(
                lambda z, one=one: loss(z, one, ONE_QUERY)[0][0], lambda z, one=one: loss(z, one, ONE_QUERY)[1], [0.7]
            )
            < 1e-6
        )


def test_the_derivatives_of_a_choice_are_those_of_its_sum_over_two_queries() -> None:
    targets, starts = np.array([1.0, 0.0, 0.2, 0.0, 0.1]), np.array([0, 2])
    choice = LOSSES["choice"]
    values = np.array([0.3, -0.2, 1.0, 0.5, -2.0])
    assert (
        check_grad(lambda z: choice(z, targets, starts)[0].sum(), lambda z: choice(z, targets, starts)[1], values)
        < 1e-6
    )


def test_the_loss_of_a_choice_is_the_negative_logarithm_of_its_probability() -> None:
    values, targets = np.log([1.0, 3.0, 2.0, 2.0]), np.array([0.0, 1.0, 0.5, 0.0])
    losses, slopes = LOSSES["choice"](values, targets, np.array([0, 2]))
    assert losses == pytest.approx([0, -np.log(0.75), -0.5 * np.log(0.5), 0])
    assert slopes == pytest.approx([0.25, -0.25, -0.25, 0.25])


def test_a_choice_depends_on_differences_within_the_query_only(table: pa.RecordBatch) -> None:
    learn = LinearLearning("choice", l2=1e-8, iterations=500)
    values = features_of(table)
    values[:, 0] += 3.0 * np.array(table["query"])
    place = table.schema.get_field_index("values")
    shifted = table.set_column(place, table.schema.field(place), pa.array(values.tolist(), pa.list_(pa.float32())))
    found, expected = (
        LinearWeights.model_validate_json(learn(split(rows, 1)[0], SingleTask())) for rows in (shifted, table)
    )
    slopes = [np.array(each.coefficients[:2]) / each.std[:2] for each in (found, expected)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-3)


def test_a_coefficient_with_a_sign_is_at_least_or_at_most_0(table: pa.RecordBatch) -> None:
    def coefficients(*signs: int) -> tuple[float, ...]:
        learn = LinearLearning("choice", l2=0.01, iterations=200, signs=signs)
        return LinearWeights.model_validate_json(learn(split(table, 1)[0], SingleTask())).coefficients

    free = coefficients()
    assert free[0] > 0
    assert coefficients(1, 0, 0) == pytest.approx(free, abs=1e-5)
    assert coefficients(-1, 0, 0)[0] == 0
    other = 1 if free[1] < 0 else -1
    assert coefficients(0, other, 0)[1] == 0


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_chunks_are_whole_queries_of_at_most_so_many_rows(sizes: list[int]) -> None:
    queries = np.repeat(np.arange(len(sizes)), sizes)
    rows = split(batch([0.0] * len(queries), [0] * len(queries), queries, [[0.0] * 3] * len(queries)), 1)[0]
    with patch("cqa_spark.rankers.training.linear.ROWS_AT_A_TIME", 5):
        found = [(len(targets), starts.tolist()) for _, targets, starts in Buckets(rows).chunks_of(0)]
    assert sum(number for number, _ in found) == len(queries)
    assert all(number <= 5 or len(starts) == 1 for number, starts in found)
    assert [starts[0] for _, starts in found] == [0] * len(found)
    assert sum(len(starts) for _, starts in found) == len(sizes)


def test_the_hinge_loss_is_zero_beyond_the_margin() -> None:
    losses, slopes = LOSSES["hinge"](np.array([-2.0, 0.5, 1.5]), np.array([1.0, 1.0, 1.0]), ONE_QUERY)
    assert (losses.tolist(), slopes.tolist()) == ([3.0, 0.5, 0.0], [-1.0, -1.0, 0.0])


@given(st.lists(st.lists(st.floats(-1e6, 1e6), max_size=5), min_size=1))
@settings(max_examples=50)
def test_merged_moments_are_those_of_all_rows(parts: list[list[float]]) -> None:
    rows = np.array([value for part in parts for value in part]).reshape(-1, 1)
    found = merged((ColumnMoments.of(np.array(part).reshape(-1, 1)) for part in parts if part), 1)
    assert found.rows == len(rows)
    if len(rows) > 1:
        assert found.mean == pytest.approx(rows.mean(axis=0), rel=1e-9, abs=1e-6)
        assert found.std == pytest.approx(rows.std(axis=0, ddof=1), rel=1e-6, abs=1e-6)
        assert (found.low, found.high) == (rows.min(), rows.max())


def test_rows_without_label_are_left_out_and_bad_values_are_found() -> None:
    given_rows = batch([1.0, None, 0.0], [0, 0, 1], [5, 5, 6], [[1, float("nan"), None], [1, 1, 1], [2, 2, 2]])
    rows = read_rows([given_rows.slice(0, 1), given_rows.slice(1, 2)], CANDIDATE, 3, FLOAT)
    assert (len(rows), rows.unlabelled, rows.bad.tolist()) == (2, 1, [False, True, True])
    assert rows.query_starts.tolist() == [0, 1]
    assert rows.values(1, 2).tolist() == [[2.0, 2.0, 2.0]]


def test_a_task_without_rows_has_no_query() -> None:
    assert read_rows([], CANDIDATE, 2, FLOAT).query_starts.tolist() == []


def test_values_beyond_the_memory_limit_are_read_back_from_a_file(
    table: pa.RecordBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = LinearLearning("logistic", 0.01, 20)
    expected = learn(split(table, 1)[0], SingleTask())
    monkeypatch.setattr("cqa_spark.rankers.training.sorted_rows.MOST_IN_MEMORY", 1000)
    monkeypatch.setattr("cqa_spark.rankers.training.linear._KEPT_BYTES", 0)
    assert learn(split(table, 1)[0], SingleTask()) == expected


def test_trees_see_the_candidates_of_a_query_together(table: pa.RecordBatch) -> None:
    parameters = {"objective": "rank:pairwise", "max_depth": 2, "tree_method": "hist", "nthread": 1}
    learn = TreeLearning(parameters, 3, ("f__a", "f__b", "f__c"), by_query=True)
    model = json.loads(learn(split(table, 1)[0], SingleTask()))
    assert model["learner"]["feature_names"] == ["f__a", "f__b", "f__c"]
    assert len(model["learner"]["gradient_booster"]["model"]["trees"]) == 3


def test_more_workers_than_buckets_are_refused() -> None:
    with pytest.raises(ValidationError, match="65 workers cannot share 64 buckets"):
        LogisticRegressionParameters(workers=65)


def test_the_threshold_is_the_cut_that_serves_the_measure_best() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.7, 0.3, 0.2, 0.1])
    relevant = np.array([True, False, True, True, False, False, True])
    # Cut at 0.7: three hits, one false hit, one missed.
    assert best_threshold(scores, relevant, "accuracy") == 0.7
    assert best_threshold(scores, relevant, "mean") == 0.7
    more, all_relevant = np.append(scores, [0.05] * 9), np.append(relevant, [True] * 9)
    assert best_threshold(more, all_relevant, "f1") == 0.05
