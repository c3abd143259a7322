"""The states of texts after the lower layers."""

from __future__ import annotations

from functools import lru_cache

import torch
from safetensors.torch import load
from tokenizers import Tokenizer
from torch import Tensor

from cqa_spark.text.cross_encoding.layers import LowerLayers, Weights
from cqa_spark.text.cross_encoding.model import Transformer
from cqa_spark.text.pretrained.files import read_file


class TextEncoder:
    """Encodes texts one by one, so that the states of a text do not depend on other texts.

    Args:
        model: the pretrained model.
        layers: number of lower layers.
        device: the device to compute on.
    """

    def __init__(self, model: Transformer, layers: int, device: torch.device) -> None:
        self._device = device
        self._lower = LowerLayers(pretrained_weights(model), layers, model.heads).to(device)
        self._tokenizer = Tokenizer.from_buffer(read_file(model, model.tokenizer))
        self._tokenizer.no_padding()

    @torch.no_grad()
    def states(self, text: str, most_tokens: int) -> Tensor:
        """The states of the tokens of a text, the start and end of the text included.

        Args:
            text: the text.
            most_tokens: maximum number of tokens; longer texts are truncated.

        Returns:
            Shape (tokens, size).
        """
        self._tokenizer.enable_truncation(most_tokens)
        tokens = torch.tensor([self._tokenizer.encode(text).ids], device=self._device)
        states: Tensor = self._lower(tokens, torch.ones_like(tokens, dtype=torch.bool))[0]
        return states


@lru_cache(maxsize=1)
def pretrained_weights(model: Transformer) -> Weights:
    """The weights of a model, read once per process.

    Raises:
        EnvironmentProblem: the model is not installed, or a file differs from the description.
    """
    weights: Weights = load(read_file(model, model.weights))
    return weights
