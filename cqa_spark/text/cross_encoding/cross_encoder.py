"""Scores pairs of texts with fine-tuned cross-encoders, on one thread or a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import torch
from pyspark import TaskContext
from safetensors.torch import load
from torch import Tensor

from cqa_spark.spark.torch_processes import use_one_thread
from cqa_spark.text.cross_encoding.layers import UpperLayers
from cqa_spark.text.cross_encoding.pairs import EncodedPairs
from cqa_spark.text.cross_encoding.parts import TextEncoder, new_upper_layers
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings

DIGITS = 4
"""Decimal places of a score; further places differ between CPUs."""


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
            weights: fine-tuned upper layers, in safetensors format.
            first: index of the first text.
            second: index of the second text.
        """
        states = self._of(first, self._settings.first_tokens), self._of(second, self._settings.second_tokens)
        # One pair at a time: padding would make the last digits depend on other pairs.
        pair = EncodedPairs([states[0]], [states[1]]).batch([0], _device())
        return round(float(_learned(self._settings, weights)(*pair)), DIGITS)

    def _of(self, text: int, most_tokens: int) -> Tensor:
        key = text, most_tokens
        if key not in self._states:
            self._states[key] = _encoder(self._settings).states(self._texts[text], most_tokens)
        return self._states[key]


@lru_cache(maxsize=1)
def _encoder(settings: CrossEncoderSettings) -> TextEncoder:
    use_one_thread()
    return TextEncoder(settings, _device())


@lru_cache(maxsize=8)
def _learned(settings: CrossEncoderSettings, weights: bytes) -> UpperLayers:
    network = new_upper_layers(settings, _device())
    network.load_state_dict(load(weights))
    return network.eval()


def _device() -> torch.device:
    """The GPU that Spark assigned to this task, or the first one if Spark assigns none; without GPUs, the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    task = TaskContext.get()
    assigned = task.resources().get("gpu") if task is not None else None
    return torch.device("cuda", int(assigned.addresses[0]) if assigned else 0)
