from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import erf, softmax

pytest.importorskip("torch", reason="needs PyTorch: make test-neural runs it")

import torch
from tiny_transformer import HEADS, LAYERS, SIZE, WORDS, write_tiny_transformer

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.text.cross_encoding.cross_encoder import EncodedTexts
from cqa_spark.text.cross_encoding.layers import LowerLayers, UpperLayers
from cqa_spark.text.cross_encoding.learning import learn
from cqa_spark.text.cross_encoding.parts import TextEncoder
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings

pytestmark = pytest.mark.neural

SETTINGS = CrossEncoderSettings(
    "tiny", 2, first_tokens=8, second_tokens=5, epochs=60, batch=4, learning_rate=1e-2, workers=1
)
Reals = NDArray[np.float64]
Weights = dict[str, NDArray[np.float32]]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weights]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQA_HOME", str(home))
        yield write_tiny_transformer(home)


def of_torch(weights: Weights) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(values) for name, values in weights.items()}


def dense(weights: Weights, name: str, values: Reals) -> Reals:
    return values @ weights[f"{name}.weight"].T.astype(float) + weights[f"{name}.bias"]


def norm(weights: Weights, name: str, values: Reals) -> Reals:
    scaled = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def layer(weights: Weights, number: int, states: Reals) -> Reals:
    """Section 3 of Vaswani et al. 2017, with the activation of BERT."""
    prefix = f"encoder.layer.{number}"
    query, key, value = (
        dense(weights, f"{prefix}.attention.self.{name}", states).reshape(len(states), HEADS, -1).swapaxes(0, 1)
        for name in ("query", "key", "value")
    )
    shares = softmax(query @ key.swapaxes(1, 2) / np.sqrt(SIZE / HEADS), axis=2)
    joined = (shares @ value).swapaxes(0, 1).reshape(len(states), -1)
    attended = norm(
        weights,
        f"{prefix}.attention.output.LayerNorm",
        states + dense(weights, f"{prefix}.attention.output.dense", joined),
    )
    inner = dense(weights, f"{prefix}.intermediate.dense", attended)
    activated = inner * (1 + erf(inner / np.sqrt(2))) / 2
    return norm(weights, f"{prefix}.output.LayerNorm", attended + dense(weights, f"{prefix}.output.dense", activated))


def embedded(weights: Weights, tokens: list[int]) -> Reals:
    words, places, types = (
        weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
    )
    return norm(weights, "embeddings.LayerNorm", (words[tokens] + places[: len(tokens)] + types[0]).astype(float))


def test_lower_layers_are_those_of_bert(weights: Weights) -> None:
    tokens = [0, WORDS.index("visa"), WORDS.index("costs"), 1]
    expected = embedded(weights, tokens)
    for number in range(2):
        expected = layer(weights, number, expected)
    lower = LowerLayers(of_torch(weights), 2, HEADS)
    found = lower(torch.tensor([[*tokens, 5, 5]]), torch.tensor([[True] * 4 + [False] * 2]))
    assert found[0, :4].numpy() == pytest.approx(expected, abs=1e-4)


def test_upper_layers_read_both_texts(weights: Weights) -> None:
    states = np.random.default_rng(2).normal(size=(5, SIZE))
    upper = UpperLayers(of_torch(weights), 1, LAYERS, HEADS).eval()
    kind, output = np.full(SIZE, 0.5), np.arange(SIZE) / 10
    with torch.no_grad():
        upper.second_text.copy_(torch.from_numpy(kind))
        upper.output.weight.copy_(torch.from_numpy(output)[None])
        upper.output.bias.fill_(0.25)
        is_second = torch.tensor([[False, False, True, True, True]])
        found = upper(torch.from_numpy(states[None]).float(), is_second, torch.ones(1, 5, dtype=torch.bool))
    expected = states + np.array([0, 0, 1, 1, 1])[:, None] * kind
    for number in (1, 2):
        expected = layer(weights, number, expected)
    assert found.numpy() == pytest.approx([expected[0] @ output + 0.25], abs=1e-4)


def test_long_texts_are_truncated(weights: Weights) -> None:
    encoder = TextEncoder(SETTINGS, torch.device("cpu"))
    assert encoder.states("how much is a visa", 4).shape == (4, SIZE)
    assert torch.equal(encoder.states("how much is a", 4), encoder.states("how much car", 4))
    assert not torch.equal(encoder.states("how much is a", 5), encoder.states("how much car", 5))


def test_each_model_learns_from_the_other_folds(weights: Weights) -> None:
    questions = ["how much is a visa", "how much is a car"] * 4
    answers = ["a visa costs 100", "a car costs 100", "thanks", "bye"] * 2
    relevant = np.array([True, True, False, False] * 2)
    fold = np.array([0, 1, 0, 1] * 2, dtype=np.int32)
    learned = learn(questions, answers, relevant, fold, 2, SETTINGS)
    assert learn(questions, answers, relevant, fold, 2, SETTINGS) == learned
    # The model that omits fold 0 has seen only these pairs.
    odd = slice(1, None, 2)
    alone = learn(questions[odd], answers[odd], relevant[odd], fold[odd], 2, SETTINGS)
    assert (alone[0], alone[2]) == (learned[0], learned[0])

    texts = EncodedTexts([*questions[:2], *answers[:4]], SETTINGS)
    scores = [texts.score(learned[2], question, answer) for question in (0, 1) for answer in (2, 3, 4, 5)]
    assert min(scores[0:2] + scores[4:6]) > 1
    assert max(scores[2:4] + scores[6:8]) < -1
    assert scores == [round(each, 4) for each in scores]


def test_a_transformer_that_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tiny_transformer(tmp_path)
    (tmp_path / "weights").write_bytes(b"other")
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="weights of the model tiny has another SHA-256"):
        TextEncoder(SETTINGS, torch.device("cpu"))
