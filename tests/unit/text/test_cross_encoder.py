from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="needs JAX: make test-neural runs it")

import numpy as np
from onnx import ModelProto
from tiny_transformer import LAYERS, SIZE, WORDS, write_tiny_transformer

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.networks.graph import weights_of, with_weights
from cqa_spark.networks.scoring import run
from cqa_spark.text import cross_encoder_layers as layers
from cqa_spark.text.cross_encoder import (
    CrossEncoderSettings,
    EncodedPairs,
    EncodedTexts,
    TextEncoder,
)
from cqa_spark.text.cross_encoder_layers import lower_layers, new_upper_layers
from cqa_spark.text.cross_encoder_training import JudgedPairs, learn

pytestmark = pytest.mark.neural

SETTINGS = CrossEncoderSettings(
    "tiny", 2, first_tokens=8, second_tokens=5, epochs=60, batch=4, learning_rate=1e-2, workers=1
)


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelProto]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQA_HOME", str(home))
        layers._pretrained.cache_clear()
        yield write_tiny_transformer(home)
    layers._pretrained.cache_clear()


@pytest.mark.parametrize("trained", range(1, LAYERS + 1))
def test_both_parts_compute_what_the_transformer_computes(transformer: ModelProto, trained: int) -> None:
    tokens = np.array([[0, WORDS.index("visa"), WORDS.index("costs"), 1]])
    inputs = {"input_ids": tokens, "token_type_ids": np.zeros_like(tokens), "attention_mask": np.ones_like(tokens)}
    whole = run(transformer.SerializeToString(), transformer.graph.output[0].name, inputs)
    lower, upper = lower_layers("tiny", trained), new_upper_layers("tiny", trained, seed=1)
    states = run(lower.SerializeToString(), lower.graph.output[0].name, inputs)[0]
    pair = EncodedPairs([states[:3]], [states[3:]]).batch([0], multiple=8)
    assert pair["attention_mask"].tolist() == [[1, 1, 1, 1, 0, 0, 0, 0]]
    assert pair["is_second"][0, :, 0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    output = np.arange(SIZE, dtype=np.float32)[:, None] / 10
    upper = with_weights(upper, {"output_weights": output, "output_bias": np.array([0.25], dtype=np.float32)})
    assert run(upper.SerializeToString(), "log_odds", pair) == pytest.approx(whole[0, :1] @ output + 0.25, abs=1e-4)


def test_tokens_of_the_second_text_are_marked(transformer: ModelProto) -> None:
    states = np.random.default_rng(2).normal(size=(5, SIZE)).astype(np.float32)
    upper = new_upper_layers("tiny", 2, seed=1)
    kind = np.full((1, SIZE), 0.5, dtype=np.float32)
    marked = with_weights(upper, {"second_text": kind})
    added = EncodedPairs([states[:2]], [states[2:] + kind]).batch([0])
    scores = [
        run(model.SerializeToString(), "log_odds", pair)
        for model, pair in ((marked, EncodedPairs([states[:2]], [states[2:]]).batch([0])), (upper, added))
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_layers_that_stay_as_pretrained_are_not_among_the_weights(transformer: ModelProto) -> None:
    names = weights_of(new_upper_layers("tiny", 1, seed=1))
    assert {name.split("/")[2] for name in names if name.startswith("/")} == {"layer.2"}


def test_long_texts_are_truncated(transformer: ModelProto) -> None:
    encoder = TextEncoder(SETTINGS)
    assert encoder.states("how much is a visa", 4).shape == (4, SIZE)
    assert np.array_equal(encoder.states("how much is a", 4), encoder.states("how much car", 4))
    assert not np.array_equal(encoder.states("how much is a", 5), encoder.states("how much car", 5))


def test_each_model_learns_from_the_other_folds(transformer: ModelProto) -> None:
    questions = ["how much is a visa", "how much is a car"] * 4
    answers = ["a visa costs 100", "a car costs 100", "thanks", "bye"] * 2
    relevant = np.array([True, True, False, False] * 2)
    pairs = JudgedPairs(questions, answers, relevant, np.array([0, 1, 0, 1] * 2, dtype=np.int32))
    learned = list(learn(pairs, SETTINGS, range(3)))
    # The model that omits fold 0 has seen only these pairs.
    odd = slice(1, None, 2)
    alone = JudgedPairs(questions[odd], answers[odd], relevant[odd], pairs.fold[odd])
    assert list(learn(alone, SETTINGS, [2])) == [learned[0]]

    texts = EncodedTexts([*questions[:2], *answers[:4]], SETTINGS)
    scores = [texts.score(learned[2], question, answer) for question in (0, 1) for answer in (2, 3, 4, 5)]
    assert min(scores[0:2] + scores[4:6]) > 1
    assert max(scores[2:4] + scores[6:8]) < -1
    assert scores == [round(score, 4) for score in scores]


def test_a_transformer_that_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tiny_transformer(tmp_path)
    (tmp_path / "weights").write_bytes(b"other")
    monkeypatch.setenv("CQA_HOME", str(tmp_path))
    layers._pretrained.cache_clear()
    with pytest.raises(EnvironmentProblem, match="weights of the model tiny has another SHA-256"):
        TextEncoder(SETTINGS)
