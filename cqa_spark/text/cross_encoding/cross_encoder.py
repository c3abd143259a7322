"""Learns cross-encoders, and scores pairs with them, on one thread of this process or on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load, save
from torch import Tensor

from cqa_spark.text.cross_encoding.fine_tuning import fine_tune
from cqa_spark.text.cross_encoding.layers import UpperLayers
from cqa_spark.text.cross_encoding.model import Transformer
from cqa_spark.text.cross_encoding.pairs import Pairs
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings
from cqa_spark.text.cross_encoding.text_states import TextEncoder, pretrained_weights

DIGITS = 4
"""Decimal places of a score; further places differ between CPUs."""


def learn(
    first: Sequence[str], second: Sequence[str], relevant: NDArray[np.bool_], settings: CrossEncoderSettings
) -> bytes:
    """Fine-tune the upper layers.

    Args:
        first: the first text of each pair.
        second: the second text of each pair.
        relevant: whether the second text is relevant to the first one.
        settings: sizes and training.

    Returns:
        The weights of the upper layers in safetensors format. On the CPU they are the same in each run on a given
        machine.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """
    _use_one_thread()
    pairs = Pairs(_states(first, settings.first_tokens, settings), _states(second, settings.second_tokens, settings))
    torch.manual_seed(settings.seed)
    network = _upper_layers(settings)
    fine_tune(network, pairs, relevant, settings, _device())
    return save(network.state_dict())


def _states(texts: Sequence[str], most_tokens: int, settings: CrossEncoderSettings) -> list[Tensor]:
    """The states of each text; equal texts share them."""
    encoder = _encoder(settings)
    # 16 bits halve the memory, which is about 40 kB a distinct text.
    distinct = {text: encoder.states(text, most_tokens).half().cpu() for text in dict.fromkeys(texts)}
    return [distinct[text] for text in texts]


class EncodedTexts:
    """Texts whose states are computed once, on first use.

    Args:
        texts: the texts.
        settings: of the cross-encoder.
    """

    def __init__(self, texts: Sequence[str], settings: CrossEncoderSettings) -> None:
        self._texts = texts
        self._settings = settings
        self._states: dict[tuple[int, int], Tensor] = {}

    @torch.no_grad()
    def score(self, weights: bytes, first: int, second: int) -> float:
        """The log-odds that the second text is relevant to the first one, rounded.

        Args:
            weights: what ``learn`` returned.
            first: index of the first text.
            second: index of the second text.
        """
        states = self._of(first, self._settings.first_tokens), self._of(second, self._settings.second_tokens)
        # One pair at a time: padding would make the last digits depend on other pairs.
        pair = Pairs([states[0]], [states[1]]).batch([0], _device())
        return round(float(_learned(self._settings, weights)(*pair)), DIGITS)

    def _of(self, text: int, most_tokens: int) -> Tensor:
        key = text, most_tokens
        if key not in self._states:
            self._states[key] = _encoder(self._settings).states(self._texts[text], most_tokens)
        return self._states[key]


@lru_cache(maxsize=1)
def _encoder(settings: CrossEncoderSettings) -> TextEncoder:
    _use_one_thread()
    model = Transformer.read(settings.transformer)
    return TextEncoder(model, model.layers - settings.trained_layers, _device())


@lru_cache(maxsize=8)
def _learned(settings: CrossEncoderSettings, weights: bytes) -> UpperLayers:
    network = _upper_layers(settings)
    network.load_state_dict(load(weights))
    return network.eval()


def _upper_layers(settings: CrossEncoderSettings) -> UpperLayers:
    model = Transformer.read(settings.transformer)
    first = model.layers - settings.trained_layers
    return UpperLayers(pretrained_weights(model), first, model.layers, model.heads).to(_device())


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _use_one_thread() -> None:
    """Threads change the order of sums, and Spark already runs one task per core."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
