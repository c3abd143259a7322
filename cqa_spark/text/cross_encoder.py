"""Scores pairs of texts with fine-tuned cross-encoders, by ONNX Runtime on one thread."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from cqa_spark.networks.scoring import run
from cqa_spark.text.encoders.encoder import read_shipped
from cqa_spark.text.encoders.model import EmbeddingModel


@dataclass(frozen=True)
class CrossEncoderSettings:
    """Sizes and training of a cross-encoder.

    Attributes:
        transformer: name of the pretrained model, in ``conf/models``.
        trained_layers: number of upper layers.
        first_tokens: maximum number of tokens of the first text.
        second_tokens: maximum number of tokens of the second text.
        epochs: passes over the training pairs.
        batch: number of pairs of a step.
        learning_rate: maximum step size of AdamW.
        workers: maximum number of tasks, which train the models of different folds.
        seed: seed of the output's weights, the batches and the dropout.
    """

    transformer: str
    trained_layers: int
    first_tokens: int
    second_tokens: int
    epochs: int
    batch: int
    learning_rate: float
    workers: int
    seed: int = 1


States = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs of encoded texts; several pairs may share a text.

    Attributes:
        first: states of the first text of each pair, shape (tokens, size).
        second: states of the second text of each pair.
    """

    first: Sequence[States]
    second: Sequence[States]

    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each pair."""
        return np.array(
            [len(first) + len(second) for first, second in zip(self.first, self.second, strict=True)], np.int64
        )

    def batch(self, pairs: Sequence[int], multiple: int = 1) -> dict[str, NDArray[Any]]:
        """The input of the upper layers.

        Args:
            pairs: numbers of the pairs.
            multiple: the number of tokens, with padding, is a multiple of this.
        """
        batch = [(self.first[number], self.second[number]) for number in pairs]
        most = max(len(first) + len(second) for first, second in batch)
        tokens = -(-most // multiple) * multiple
        # Each row has the tokens of the first text, then of the second, then padding.
        states = np.zeros((len(batch), tokens, batch[0][0].shape[1]), dtype=np.float32)
        is_second = np.zeros((len(batch), tokens, 1), dtype=np.float32)
        mask = np.zeros((len(batch), tokens), dtype=np.int64)
        for row, (first, second) in enumerate(batch):
            end = len(first) + len(second)
            states[row, :end] = np.concatenate([first, second])
            is_second[row, len(first) : end] = 1.0
            mask[row, :end] = 1
        return {"states": states, "is_second": is_second, "attention_mask": mask}


DIGITS = 4
"""Decimal places of a score; further places differ between CPUs."""


class TextEncoder:
    """Encodes texts one by one, so that the states of a text do not depend on other texts.

    Args:
        settings: settings of the cross-encoder.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """

    def __init__(self, settings: CrossEncoderSettings) -> None:
        from cqa_spark.text.cross_encoder_layers import lower_layers  # imports ONNX

        layers = lower_layers(settings.transformer, settings.trained_layers)
        self._output, self._layers = layers.graph.output[0].name, layers.SerializeToString()
        model = EmbeddingModel.read(settings.transformer)
        self._tokenizer = Tokenizer.from_buffer(read_shipped(model, model.tokenizer))
        self._tokenizer.no_padding()

    def states(self, text: str, most_tokens: int) -> States:
        """The states of the tokens of a text after the lower layers, the start and end of the text included.

        Args:
            text: the text.
            most_tokens: maximum number of tokens; longer texts are truncated.

        Returns:
            Shape (tokens, size).
        """
        self._tokenizer.enable_truncation(most_tokens)
        tokens = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        # Each text is encoded alone, so all tokens are of the first type.
        inputs = {"input_ids": tokens, "token_type_ids": np.zeros_like(tokens), "attention_mask": np.ones_like(tokens)}
        return run(self._layers, self._output, inputs)[0]


class EncodedTexts:
    """Texts whose states are computed once, on first use.

    Args:
        texts: the texts.
        settings: settings of the cross-encoder.
    """

    def __init__(self, texts: Sequence[str], settings: CrossEncoderSettings) -> None:
        self._texts = texts
        self._settings = settings
        self._states: dict[tuple[int, int], States] = {}

    def score(self, network: bytes, first: int, second: int) -> float:
        """The log-odds that the second text is relevant to the first one, rounded.

        Args:
            network: fine-tuned upper layers, as an ONNX file.
            first: index of the first text.
            second: index of the second text.
        """
        first_states = self._states_of(first, self._settings.first_tokens)
        second_states = self._states_of(second, self._settings.second_tokens)
        # One pair at a time: padding would make the last digits depend on other pairs.
        pair = EncodedPairs([first_states], [second_states]).batch([0])
        return round(float(run(network, "log_odds", pair)[0, 0]), DIGITS)

    def _states_of(self, text: int, most_tokens: int) -> States:
        key = text, most_tokens
        if key not in self._states:
            self._states[key] = _encoder(self._settings).states(self._texts[text], most_tokens)
        return self._states[key]


@lru_cache(maxsize=1)
def _encoder(settings: CrossEncoderSettings) -> TextEncoder:
    return TextEncoder(settings)
