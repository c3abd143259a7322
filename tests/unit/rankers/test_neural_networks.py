"""Networks in NumPy with literal weights, and what PyTorch trains, without Spark."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.process import extras
from cqa_spark.rankers.neural.network import Dense, Network, NetworkShape, scaled
from cqa_spark.rankers.neural.settings import TrainingSettings
from cqa_spark.rankers.neural.training_examples import TrainingExamples, average_precisions
from cqa_spark.rankers.neural.word_numbers import word_numbers

SETTINGS = TrainingSettings(epochs=30, batch=8, learning_rate=0.01, dropout=0.1, batch_norm=False, most_words=5, seed=1)
WORDS = np.eye(4)


def dense(weights: list[list[float]], biases: list[float]) -> Dense:
    return Dense(np.array(weights, dtype=np.float64), np.array(biases, dtype=np.float64))


def network(attend: tuple[Dense, ...] = (), compare: tuple[Dense, ...] = ()) -> Network:
    """Classifies by the difference of its inputs: the feature alone, or two text values and the feature."""
    texts = [[0.0, 1.0], [0.0, 10.0]] if compare else []
    last = dense([*texts, [0.0, 100.0]], [0.0, 0.0])
    return Network(np.array([2.0]), np.array([4.0]), attend, compare, (last,))


def test_features_are_scaled_to_the_range_of_the_training_part_and_constants_to_0() -> None:
    found = scaled(np.array([3.0, 5.0, 9.0]), np.array([2.0, 5.0, 1.0]), np.array([4.0, 5.0, 5.0]))
    assert found.tolist() == [0.5, 0.0, 2.0]


def test_without_texts_the_classifier_sees_the_features_alone() -> None:
    assert network().probability(np.array([2.02]), None) == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-12)


def test_each_word_attends_to_the_words_of_the_other_text() -> None:
    attend = (dense([[math.sqrt(math.log(3))], [0.0]], [0.0]),)
    query, candidate = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    found = network(attend).attention(query, candidate)
    assert found.tolist() == [pytest.approx([math.log(3), 0.0])]


def test_the_comparisons_of_all_words_are_added_up_beside_the_features() -> None:
    attend = (dense([[0.0], [0.0]], [0.0]),)  # every word attends to all words alike
    compare = (dense([[1.0], [0.0], [0.0], [1.0]], [-0.25]),)  # the word's first plus the alignment's second value
    query, candidate = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    # query: 1 + 1/2 - 1/4; candidate: (1 + 0 - 1/4) + max(0 + 0 - 1/4, 0); feature: (2.02 - 2) / 2
    expected = 1.25 + 10 * 0.75 + 100 * 0.01
    found = network(attend, compare).probability(np.array([2.02]), (query, candidate))
    assert found == pytest.approx(1 / (1 + math.exp(-expected)), abs=1e-12)


def test_a_text_without_words_is_compared_with_nothing() -> None:
    attend, compare = (dense([[1.0], [1.0]], [0.0]),), (dense([[1.0], [0.0], [0.0], [1.0]], [0.0]),)
    query, candidate = np.empty((0, 2)), np.array([[0.125, 0.0]])
    found = network(attend, compare).probability(np.array([2.0]), (query, candidate))
    assert found == pytest.approx(1 / (1 + math.exp(-1.25)), abs=1e-12)


def test_words_become_numbers_and_unknown_ones_are_left_out() -> None:
    texts = pa.chunked_array([[["b", "x", "a", "b"]], [[], ["x"]]], pa.list_(pa.string()))
    found = word_numbers(texts, pa.array(["a", "b"]), most=2)
    assert [each.tolist() for each in found] == [[1, 0], [], []]
    assert word_numbers(texts.slice(0, 0), pa.array(["a"]), most=2) == []


def test_average_precision_counts_the_queries_with_a_relevant_candidate() -> None:
    query, target = np.array([1, 1, 1, 2, 2, 3]), np.array([0, 1, 1, 0, 1, 0])
    found = average_precisions(query, target, np.array([0.9, 0.8, 0.1, 0.5, 0.5, 0.5]))
    assert found.tolist() == pytest.approx([(1 / 2 + 2 / 3) / 2, 1 / 2])


def examples() -> TrainingExamples:
    """Half of the queries have candidates that repeat their word, and are relevant; the feature says nothing."""
    asked = np.arange(48) % 4
    said = (asked + np.arange(48) // 4 % 2) % 4
    return TrainingExamples(
        query=np.arange(48) // 2,
        target=(asked == said).astype(np.int64),
        features=np.arange(48, dtype=np.float64)[:, None] % 3,
        query_words=[np.array([word]) for word in asked],
        candidate_words=[np.array([word, 3]) if word < 2 else np.array([word]) for word in said],
    )


def test_every_example_is_in_one_batch_of_pairs_of_similar_length() -> None:
    given = examples()
    long = [np.zeros(600, dtype=np.int64), *given.query_words[1:]]
    mixed = TrainingExamples(given.query, given.target, given.features, long, given.candidate_words)
    sizes = [len(batch) for batch in mixed.batches(8, np.random.default_rng(1))]
    assert sorted(sizes) == [1, 7, 8, 8, 8, 8, 8]
    drawn = [batch.query.tolist() for batch in given.batches(48, np.random.default_rng(1))]
    assert sorted(drawn[0]) == given.query.tolist() != drawn[0]


@pytest.mark.neural
@pytest.mark.parametrize(
    ("attend", "batch_norm"), [((8,), False), ((), True)], ids=["decomposable attention", "batch normalisation"]
)
def test_the_network_in_numpy_gives_what_pytorch_gives(attend: tuple[int, ...], batch_norm: bool) -> None:
    import torch

    from cqa_spark.rankers.neural.modules import PairNetwork, in_numpy, tensors

    given = examples()
    shape = NetworkShape(1, 4 if attend else 0, attend, attend, (5, 3))
    settings = TrainingSettings(1, 8, 0.01, 0.5, batch_norm, 5, seed=1)
    torch.manual_seed(7)
    vectors = (WORDS if attend else np.empty((0, 0))).astype(np.float32)
    trained = PairNetwork(shape, settings, vectors)
    low, high = np.array([0.0]), np.array([2.0])
    if not attend:
        nothing = [np.empty(0, dtype=np.int64)] * len(given)
        given = TrainingExamples(given.query, given.target, given.features, nothing, nothing)
    inputs = tensors(given, low, high, len(vectors))
    trained.train()(*inputs)  # moves the running statistics of batch normalisation
    expected = torch.softmax(trained.eval()(*inputs), dim=1)[:, 1].tolist()
    ours = in_numpy(trained, low, high)
    texts = [
        (WORDS[one], WORDS[other]) if attend else None
        for one, other in zip(given.query_words, given.candidate_words, strict=True)
    ]
    found = [ours.probability(row, pair) for row, pair in zip(given.features, texts, strict=True)]
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.neural
def test_decomposable_attention_learns_which_candidates_repeat_the_query_the_same_each_time() -> None:
    from cqa_spark.rankers.neural.training import train_network

    given = examples()
    shape = NetworkShape(1, 4, (8,), (8,), (8,))
    held_out = given.query % 4 == 0
    one, other = (train_network(shape, SETTINGS, WORDS.astype(np.float32), given, held_out) for _ in range(2))
    assert one.classify[0].weights.tolist() == other.classify[0].weights.tolist()
    scores = np.array(
        [
            one.probability(row, (WORDS[q], WORDS[c]))
            for row, q, c in zip(given.features, given.query_words, given.candidate_words, strict=True)
        ]
    )
    assert average_precisions(given.query, given.target, scores).tolist() == [1.0] * 12


def test_training_without_pytorch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentProblem, match="training the ranker feed_forward needs torch, which is") as caught:
        extras.require_extra("neural", ["torch"], "training the ranker feed_forward")
    assert "pip install 'cqa-spark[neural]'" in caught.value.remedy
