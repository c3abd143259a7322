"""Networks with literal weights, and what JAX trains, without Spark."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit

from cqa_spark.errors import ContractError, EnvironmentProblem
from cqa_spark.lake.model_folder import new_model_folder, open_model_folder
from cqa_spark.networks.scoring import run
from cqa_spark.process import failures as extras
from cqa_spark.rankers.candidates import word_numbers
from cqa_spark.rankers.neural.network import Network, NetworkShape, WordAlignment, scaled
from cqa_spark.rankers.neural.training import NeuralParameters, TrainingExamples, average_precisions
from cqa_spark.settings.sections import ObjectStorageSettings

PARAMETERS = NeuralParameters(epochs=30, batch=8, learning_rate=0.01)
WORDS = np.eye(4)


def network(compare: dict[str, list[Any]] | None = None, attend: float = 0.0) -> Network:
    """The log-odds are the feature, or two text values, ten times the second, and the feature; all times 1 and 100.

    Args:
        compare: weights and biases of the layer that compares words; None without texts.
        attend: weight of the first value of a word in the attention.
    """
    from cqa_spark.networks.onnx_in_jax import with_weights
    from cqa_spark.rankers.neural.network import new_network

    texts = [[0.0, 1.0], [0.0, 10.0]] if compare else []
    weights: dict[str, Any] = {"output_weights": [*texts, [0.0, 100.0]], "output_biases": [0.0, 0.0]}
    if compare:
        weights |= {"attend_0_weights": [[attend], [0.0]], "attend_0_biases": [0.0], **compare}
    shape = NetworkShape(1, 2 if compare else 0, WordAlignment((1,), (1,)) if compare else None, ())
    arrays = {name: np.array(values, dtype=np.float32) for name, values in weights.items()}
    graph = with_weights(new_network(shape, seed=1), arrays).SerializeToString()
    return Network(np.array([2.0]), np.array([4.0]), graph)


def test_features_are_scaled_to_the_range_of_the_training_part_and_constants_to_0() -> None:
    found = scaled(np.array([3.0, 5.0, 9.0]), np.array([2.0, 5.0, 1.0]), np.array([4.0, 5.0, 5.0]))
    assert found.tolist() == [0.5, 0.0, 2.0]


@pytest.mark.neural
def test_without_texts_the_classifier_sees_the_features_alone() -> None:
    assert network().probability(np.array([2.02]), ()) == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-6)


FIRST_PLUS_SECOND: dict[str, list[Any]] = {
    "compare_0_weights": [[1.0], [0.0], [0.0], [1.0]],
    "compare_0_biases": [-0.25],
}
"""The first value of a word, plus the second one of its alignment."""


@pytest.mark.neural
def test_each_word_attends_to_the_words_of_the_other_text() -> None:
    query, candidate = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    found = network(FIRST_PLUS_SECOND, attend=math.sqrt(math.log(3))).attention(query, candidate)
    assert found.tolist() == [pytest.approx([math.log(3), 0.0])]


@pytest.mark.neural
def test_the_comparisons_of_all_words_are_added_up_beside_the_features() -> None:
    query, candidate = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    # Every word attends to all words alike.
    # query: 1 + 1/2 - 1/4; candidate: (1 + 0 - 1/4) + max(0 + 0 - 1/4, 0); feature: (2.02 - 2) / 2
    expected = 1.25 + 10 * 0.75 + 100 * 0.01
    found = network(FIRST_PLUS_SECOND).probability(np.array([2.02]), (query, candidate))
    assert found == pytest.approx(1 / (1 + math.exp(-expected)), abs=1e-6)


@pytest.mark.neural
def test_a_text_without_words_is_compared_with_nothing() -> None:
    query, candidate = np.empty((0, 2)), np.array([[0.5, 0.0]])
    found = network(FIRST_PLUS_SECOND).probability(np.array([2.0]), (query, candidate))
    assert found == pytest.approx(1 / (1 + math.exp(-2.5)), abs=1e-6)


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
    batches = list(mixed.batches(8, np.random.default_rng(1)))
    assert sorted(map(len, batches)) == [1, 8, 8, 8, 8, 8, 8]  # 47 short pairs, one of them twice
    assert sorted({*np.concatenate([batch.query for batch in batches])}) == sorted({*given.query})
    drawn = [batch.query.tolist() for batch in given.batches(48, np.random.default_rng(1))]
    assert sorted(drawn[0]) == given.query.tolist() != drawn[0]


def test_batches_of_long_texts_at_the_lengths_where_they_get_smaller() -> None:
    """Up to 500 words, 500 included, a batch has all pairs; up to 2,000 a fourth, and an eighth of longer ones."""
    numbers, nothing = np.zeros(8, dtype=np.int64), [np.empty(0, dtype=np.int64)] * 8
    for words, sizes in ((499, [8]), (500, [8]), (501, [2] * 4), (2000, [2] * 4), (2001, [1] * 8)):
        texts = [np.zeros(words, dtype=np.int64)] * 8
        pairs = TrainingExamples(numbers, numbers, np.empty((8, 0)), texts, nothing)
        assert [*map(len, pairs.batches(8, np.random.default_rng(1)))] == sizes


@pytest.mark.neural
def test_padding_changes_no_score() -> None:
    trained = network(FIRST_PLUS_SECOND, attend=0.7)
    texts = [np.array([[1.0, 0.0]]), np.array([[0.5, 1.0], [0.25, 1.0]])]
    inputs = trained.inputs(np.array([[2.0], [2.0]]), texts, texts[::-1], length=4)
    assert inputs["query_is_word"].tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]
    found = expit(run(trained.graph, "log_odds", inputs)[:, 0])
    alone = [trained.probability(np.array([2.0]), pair) for pair in zip(texts, texts[::-1], strict=True)]
    assert found.tolist() == pytest.approx(alone, abs=1e-6)


@pytest.mark.neural
def test_decomposable_attention_learns_which_candidates_repeat_the_query_the_same_each_time() -> None:
    from cqa_spark.rankers.neural.training import train_network

    given = examples()
    shape = NetworkShape(1, 4, WordAlignment((8,), (8,)), (8,), dropout=0.1)
    held_out = given.query % 4 == 0
    one, other = (train_network(shape, PARAMETERS, WORDS.astype(np.float32), given, held_out) for _ in range(2))
    assert one.graph == other.graph
    texts = zip(given.query_words, given.candidate_words, strict=True)
    pairs = [(WORDS[query], WORDS[candidate]) for query, candidate in texts]
    scores = np.array([one.probability(row, pair) for row, pair in zip(given.features, pairs, strict=True)])
    assert average_precisions(given.query, given.target, scores).tolist() == [1.0] * 12


@pytest.mark.neural
def test_a_network_on_features_learns_with_batch_normalisation() -> None:
    from cqa_spark.rankers.neural.training import train_network

    given = examples()
    nothing = [np.empty(0, dtype=np.int64)] * len(given)
    told = replace(given, features=given.target[:, None] * 1e6 + 1.0, query_words=nothing, candidate_words=nothing)
    shape = NetworkShape(1, 0, None, (5, 3), dropout=0.1, batch_norm=True)
    trained = train_network(shape, PARAMETERS, np.empty((0, 0), np.float32), told, np.zeros(48, dtype=bool))
    assert trained.probability(np.array([1e6 + 1.0]), ()) > 0.9
    assert trained.probability(np.array([1.0]), ()) < 0.1


@pytest.mark.neural
def test_a_graph_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    shape = NetworkShape(1, 2, WordAlignment((1,), (1,)), ())
    with new_model_folder(str(tmp_path), "ranker", ObjectStorageSettings()) as folder:
        network(FIRST_PLUS_SECOND).save(folder.within("network"))
        Network(np.array([2.0]), np.array([4.0]), b"no graph").save(folder.within("other"))
    saved = open_model_folder(str(tmp_path), "ranker", ObjectStorageSettings())
    assert Network.load(saved.within("network"), shape).graph == network(FIRST_PLUS_SECOND).graph
    with pytest.raises(ContractError, match=r"network/network.onnx: its input query has the length 2, not 3"):
        Network.load(saved.within("network"), replace(shape, dimensions=3))
    with pytest.raises(ContractError, match=r"other/network.onnx"):
        Network.load(saved.within("other"), shape)


def test_training_without_jax_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentProblem, match="training the ranker feed_forward needs jax, which is") as caught:
        extras.require_extra("neural", ["jax"], "training the ranker feed_forward")
    assert "pip install 'cqa-spark[all,neural]'" in caught.value.remedy
