"""What JAX computes of a graph is what ONNX Runtime computes, and training lowers its loss."""

import pytest

pytest.importorskip("jax", reason="needs JAX: make test-neural runs it")

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from cqa_spark.errors import ContractError
from cqa_spark.networks.batches import similar_lengths
from cqa_spark.networks.graph import GraphBuilder, part, weights_of, with_weights
from cqa_spark.networks.onnx_in_jax import evaluate
from cqa_spark.networks.scoring import input_lengths, run
from cqa_spark.networks.training import Optimizer, Trainer

pytestmark = pytest.mark.neural

INPUTS = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]], dtype=np.float32)


def linear(weights: NDArray[np.float64], *, normalised: bool = False, dropout: float = 0.0) -> ModelProto:
    graph = GraphBuilder()
    values = graph.add_input("values", "pairs", 2)
    if normalised:
        numbers = {"scale": [2.0, 1.0], "bias": [0.0, 0.5], "mean": [1.0, 0.0], "variance": [4.0, 1.0]}
        values = graph.apply(
            "BatchNormalization", values, *(graph.add_weights(n, np.array(v)) for n, v in numbers.items())
        )
    if dropout:
        values = graph.apply("Dropout", values, graph.add_constant(dropout))
    return graph.build(log_odds=graph.apply("MatMul", values, graph.add_weights("weights", weights)))


@pytest.mark.parametrize("normalised", [False, True])
def test_both_libraries_compute_the_same(normalised: bool) -> None:
    model = linear(np.array([[1.0], [3.0]]), normalised=normalised, dropout=0.5)
    outputs, statistics = evaluate(model, {"values": INPUTS})
    assert np.asarray(outputs["log_odds"]) == pytest.approx(
        run(model.SerializeToString(), "log_odds", {"values": INPUTS})
    )
    assert statistics == {}


def test_in_training_a_batch_is_normalised_by_itself_and_moves_the_running_statistics() -> None:
    import jax

    model = linear(np.array([[1.0], [0.0]]), normalised=True)
    outputs, statistics = evaluate(model, {"values": INPUTS}, jax.random.key(1))
    # The mean of the first column is 1, its variance 2/3.
    scale = 2 / np.sqrt(2 / 3 + 1e-5)
    assert np.asarray(outputs["log_odds"])[:, 0].tolist() == pytest.approx([0.0, -scale, scale], rel=1e-6)
    assert np.asarray(statistics["mean"]).tolist() == pytest.approx([1.0, 0.1])
    assert np.asarray(statistics["variance"])[0] == pytest.approx(0.9 * 4 + 0.1 * 2 / 3)


def test_dropout_sets_some_values_to_0_and_scales_the_others() -> None:
    import jax

    model = linear(np.array([[1.0], [0.0]]), dropout=0.75)
    outputs, _ = evaluate(model, {"values": np.ones((1000, 2), dtype=np.float32)}, jax.random.key(1))
    found = np.asarray(outputs["log_odds"])[:, 0]
    assert {*found.tolist()} == {0.0, 4.0}
    assert found.mean() == pytest.approx(1.0, abs=0.2)


def test_an_operator_without_a_derivative_here_is_named() -> None:
    graph = GraphBuilder()
    model = graph.build(log_odds=graph.apply("Sin", graph.add_input("values", "pairs", 2)))
    with pytest.raises(ContractError, match="the graph has the operator Sin, which cannot be trained"):
        evaluate(model, {"values": INPUTS})


def test_a_part_of_a_graph_has_its_own_weights() -> None:
    graph = GraphBuilder()
    first = graph.apply("Mul", graph.add_input("values", "pairs", 2), graph.add_weights("factor", np.array([2.0])))
    model = graph.build(log_odds=graph.apply("Add", first, graph.add_weights("summand", np.array([1.0]))))
    upper = part(model, [first], ["log_odds"])
    assert weights_of(upper) == {"summand": np.array([1.0])}
    assert input_lengths(upper.SerializeToString()) == {first: 2}
    other = with_weights(upper, {"summand": np.array([0.5], dtype=np.float32)})
    assert run(other.SerializeToString(), "log_odds", {first: INPUTS}).tolist() == (INPUTS + 0.5).tolist()


def test_the_first_step_of_adam_has_the_size_of_the_step_for_each_weight() -> None:
    trainer = Trainer(linear(np.array([[0.0], [0.0]])), Optimizer(0.5), seed=1)
    trainer.step({"values": INPUTS}, np.array([True, False, False]), share=0.5)
    assert weights_of(trainer.trained())["weights"][:, 0].tolist() == pytest.approx([-0.25, -0.25], abs=1e-5)


def test_matrices_decay_and_vectors_do_not() -> None:
    graph = GraphBuilder()
    product = graph.apply("MatMul", graph.add_input("values", "pairs", 2), graph.add_weights("matrix", np.ones((2, 1))))
    model = graph.build(log_odds=graph.apply("Add", product, graph.add_weights("vector", np.ones(1))))
    trainer = Trainer(model, Optimizer(0.5, weight_decay=0.1, largest_gradient=1e-30), seed=1)
    trainer.step({"values": INPUTS}, np.array([True, False, False]))
    trained = weights_of(trainer.trained())
    assert trained["matrix"][:, 0].tolist() == pytest.approx([0.95, 0.95])
    assert trained["vector"].tolist() == pytest.approx([1.0])


def test_tasks_average_their_gradients_by_their_pairs() -> None:
    seen: list[NDArray[np.float64]] = []

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        seen.append(values)
        return values + np.array([0.0, 0.0, 6.0])

    trainer = Trainer(linear(np.array([[0.0], [0.0]])), Optimizer(0.5), seed=1, total=total)
    trainer.step({"values": INPUTS}, np.array([True, False, True]))
    # The derivative of a pair is (1/2 - relevant) times its values.
    assert seen[0].tolist() == pytest.approx([-1.5, -0.5, 3.0])


def test_every_row_is_in_a_batch_and_all_batches_have_the_same_size() -> None:
    lengths = np.array([500, 10, 1000, 10, 500, 1000, 1500])
    batches = list(similar_lengths(lengths, 2, np.random.default_rng(1)))
    assert [len(batch) for batch in batches] == [2, 2, 2, 2]
    assert {*np.concatenate(batches).tolist()} == set(range(7))
    assert sorted(lengths[batch].tolist() for batch in batches)[:3] == [[10, 10], [500, 500], [1000, 1000]]
    assert [len(batch) for batch in similar_lengths(lengths[:1], 2, np.random.default_rng(1))] == [1]
    assert list(similar_lengths(lengths[:0], 2, np.random.default_rng(1))) == []
