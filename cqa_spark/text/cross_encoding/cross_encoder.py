"""Scores pairs of texts with fine-tuned cross-encoders, by ONNX Runtime on one thread."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from tokenizers import Tokenizer

from cqa_spark.networks.scoring import run
from cqa_spark.text.cross_encoding.pairs import EncodedPairs, States
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings
from cqa_spark.text.embedding.model import EmbeddingModel
from cqa_spark.text.embeddings import read_shipped

DIGITS = 4
"""Decimal places of a score; further places differ between CPUs."""


class TextEncoder:
    """Encodes texts one by one, so that the states of a text do not depend on other texts.

    Args:
        settings: of the cross-encoder.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """

    def __init__(self, settings: CrossEncoderSettings) -> None:
        # The module imports ONNX.
        from cqa_spark.text.cross_encoding.layers import lower_layers

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
        settings: of the cross-encoder.
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
        states = self._of(first, self._settings.first_tokens), self._of(second, self._settings.second_tokens)
        # One pair at a time: padding would make the last digits depend on other pairs.
        pair = EncodedPairs([states[0]], [states[1]]).batch([0])
        return round(float(run(network, "log_odds", pair)[0, 0]), DIGITS)

    def _of(self, text: int, most_tokens: int) -> States:
        key = text, most_tokens
        if key not in self._states:
            self._states[key] = _encoder(self._settings).states(self._texts[text], most_tokens)
        return self._states[key]


@lru_cache(maxsize=1)
def _encoder(settings: CrossEncoderSettings) -> TextEncoder:
    return TextEncoder(settings)
