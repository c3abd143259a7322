"""Siamese networks with literal weights, and what JAX computes and learns of them, without Spark."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import pytest

pytest.importorskip("jax", reason="needs JAX: make test-neural runs it")

import jax
import numpy as np
import onnx
from numpy.typing import NDArray

from cqa_spark.networks.graph import weights_of, with_weights
from cqa_spark.networks.onnx_in_jax import evaluate
from cqa_spark.networks.scoring import run
from cqa_spark.rankers.neural.architecture import new_network
from cqa_spark.rankers.neural.network import Network, NetworkShape, SiameseEncoder
from cqa_spark.rankers.neural.ranker import NeuralParameters
from cqa_spark.rankers.neural.training import train_network
from cqa_spark.rankers.neural.training_data import TrainingExamples, average_precisions

pytestmark = pytest.mark.neural

Kind = Literal["convolution", "lstm"]
KINDS: Sequence[Kind] = ("convolution", "lstm")
COUNTING = {"convolution": [*range(1, 8)], "lstm": [*range(1, 14)]}
"""Weights of the classifier for three nodes."""

TEXTS = [np.array([[1.0, 0.0]]), np.array([[0.5, 1.0], [0.25, -1.0], [-0.5, 2.0]]), np.empty((0, 2))]


def network(kind: Kind, nodes: int, weights: dict[str, Any], classifier: Sequence[float]) -> Network:
    """The log-odds are the vectors and the similarity times the weights of the classifier; a feature has no weight.

    Args:
        kind: the encoder.
        nodes: of the encoder, with windows of two words.
        weights: other weights than random ones, by name.
        classifier: weights of the query's vector, the similarity and the candidate's vector.
    """
    given = {"output_weights": [[0.0, weight] for weight in [*classifier, 0.0]], "output_biases": [0.0, 0.0], **weights}
    graph = new_network(NetworkShape(1, 2, SiameseEncoder(kind, nodes, window=2), ()), seed=1)
    arrays = {name: np.array(values, dtype=np.float32) for name, values in given.items()}
    return Network(np.array([0.0]), np.array([1.0]), with_weights(graph, arrays).SerializeToString())


def log_odds(trained: Network, pairs: Sequence[tuple[NDArray[Any], NDArray[Any]]], length: int = 1) -> list[float]:
    queries, candidates = zip(*pairs, strict=True)
    inputs = trained.inputs(np.zeros((len(pairs), 1)), queries, candidates, length=length)
    return [float(value) for value in run(trained.graph, "log_odds", inputs)[:, 0]]


def test_a_filter_of_the_convolution_gives_its_highest_response() -> None:
    # The first filter adds up the first values of a word and the next one; the second is the second value, less 1.
    weights = {
        "convolution_weights": [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]],
        "convolution_biases": [0.0, -1.0],
        "similarity_weights": [[0.0, 1.0], [0.0, 0.0]],
    }
    trained = network("convolution", 2, weights, [10000.0, 1000.0, 100.0, 10.0, 1.0])
    # TEXTS[0]: [1, 0]. TEXTS[1]: [max(0.75, -0.25, -0.5), max(0, 0, 1)]. The similarity is 1 * 1.
    assert log_odds(trained, [(TEXTS[0], TEXTS[1])]) == pytest.approx([10000 + 100 + 10 * 0.75 + 1])


def test_the_attention_of_the_query_weights_the_states_of_the_candidate() -> None:
    # The gates of the forward LSTM are half open; its input is the first value of a word, and it forgets half.
    forwards = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    weights = {
        "lstm_weights": [forwards, np.zeros((4, 2))],
        "lstm_recurrent_weights": np.zeros((2, 4, 1)),
        "similarity_weights": np.zeros((2, 2)),
        "attend_candidate_weights": [[1.0], [0.0]],
        "attend_candidate_biases": [0.0],
        "attend_query_weights": [[2.0], [0.0]],
        "attend_query_biases": [0.0],
        "attention_weights": [[3.0]],
        "attention_biases": [0.0],
    }
    first = 0.5 * math.tanh(1.0)
    states = [0.5 * math.tanh(first), 0.5 * math.tanh(0.5 * first)]
    query = states[0]
    shares = [math.exp(3 * math.tanh(state + 2 * query)) for state in states]
    candidate = sum(share * state for share, state in zip(shares, states, strict=True)) / sum(shares)
    trained = network("lstm", 1, weights, [10.0, 0.0, 0.0, 1.0, 0.0])
    found = log_odds(trained, [(np.array([[1.0, 5.0]]), np.array([[1.0, 0.0], [0.0, 0.0]]))])
    assert found == pytest.approx([10 * query + candidate], rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_and_other_pairs_change_no_score_and_a_text_without_words_is_0(kind: Kind) -> None:
    trained = network(kind, 3, {}, COUNTING[kind])
    pairs = [(query, candidate) for query in TEXTS for candidate in TEXTS]
    alone = [log_odds(trained, [pair])[0] for pair in pairs]
    assert log_odds(trained, pairs, length=8) == pytest.approx(alone, abs=1e-6)
    assert alone[-1] == 0.0
    assert len({*alone}) == len(alone)


@pytest.mark.parametrize("kind", KINDS)
def test_jax_computes_the_same_as_onnx_runtime_and_its_gradient(kind: Kind) -> None:
    trained = network(kind, 3, {}, COUNTING[kind])
    inputs = trained.inputs(np.zeros((3, 1)), TEXTS, TEXTS[::-1], length=5)
    model = onnx.load_from_string(trained.graph)
    weights = weights_of(model)
    random = np.random.default_rng(2)
    direction = {name: 1e-3 * random.normal(size=values.shape) for name, values in weights.items()}

    def total(weights: Any) -> Any:
        return evaluate(model, {**weights, **inputs})[0]["log_odds"].sum()

    def by_onnx_runtime(weights: Any) -> float:
        return float(run(with_weights(model, weights).SerializeToString(), "log_odds", inputs).sum())

    assert float(total(weights)) == pytest.approx(by_onnx_runtime(weights), rel=1e-5)
    gradient = jax.grad(total)(weights)
    slope = sum(float((np.asarray(gradient[name]) * direction[name]).sum()) for name in weights)
    ahead, behind = (
        by_onnx_runtime(
            {name: (values + sign * direction[name]).astype(np.float32) for name, values in weights.items()}
        )
        for sign in (1, -1)
    )
    assert slope == pytest.approx((ahead - behind) / 2, rel=1e-2)


@pytest.mark.parametrize("kind", KINDS)
def test_encoders_learn_which_candidates_repeat_the_query(kind: Kind) -> None:
    asked = np.arange(48) % 4
    said = (asked + np.arange(48) // 4 % 2) % 4
    given = TrainingExamples(
        query=np.arange(48) // 2,
        target=(asked == said).astype(np.int64),
        features=np.zeros((48, 1)),
        query_words=[np.array([word]) for word in asked],
        candidate_words=[np.array([word, 3]) if word < 2 else np.array([word]) for word in said],
    )
    vectors = np.eye(4, dtype=np.float32)
    shape = NetworkShape(1, 4, SiameseEncoder(kind, 8, window=2), (8,), dropout=0.1)
    parameters = NeuralParameters(epochs=40, batch=8, learning_rate=0.01)
    trained = train_network(shape, parameters, vectors, given, given.query % 4 == 0)
    texts = zip(given.features, given.query_words, given.candidate_words, strict=True)
    scores = np.array([trained.probability(row, (vectors[query], vectors[word])) for row, query, word in texts])
    assert average_precisions(given.query, given.target, scores).tolist() == [1.0] * 12
