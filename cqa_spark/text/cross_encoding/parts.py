"""The two parts of a pretrained transformer: the encoder of single texts, and new upper layers to fine-tune."""

from __future__ import annotations

from functools import lru_cache

import torch
from safetensors.torch import load
from tokenizers import Tokenizer
from torch import Tensor

from cqa_spark.text.cross_encoding.layers import LowerLayers, UpperLayers, Weights
from cqa_spark.text.cross_encoding.model import Transformer
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings
from cqa_spark.text.pretrained.files import read_file


class TextEncoder:
    """Encodes texts one by one, so that the states of a text do not depend on other texts.

    Args:
        settings: of the cross-encoder.
        device: where to compute.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """

    def __init__(self, settings: CrossEncoderSettings, device: torch.device) -> None:
        self._device = device
        model = Transformer.read(settings.transformer)
        lower = model.layers - settings.trained_layers
        self._layers = LowerLayers(_pretrained(model), lower, model.heads).to(device)
        self._tokenizer = Tokenizer.from_buffer(read_file(model, model.tokenizer))
        self._tokenizer.no_padding()

    @torch.no_grad()
    def states(self, text: str, most_tokens: int) -> Tensor:
        """The states of the tokens of a text after the lower layers, the start and end of the text included.

        Args:
            text: the text.
            most_tokens: maximum number of tokens; longer texts are truncated.

        Returns:
            Shape (tokens, size).
        """
        self._tokenizer.enable_truncation(most_tokens)
        tokens = torch.tensor([self._tokenizer.encode(text).ids], device=self._device)
        states: Tensor = self._layers(tokens, torch.ones_like(tokens, dtype=torch.bool))[0]
        return states


def new_upper_layers(settings: CrossEncoderSettings, device: torch.device) -> UpperLayers:
    """The pretrained upper layers, with a random output; PyTorch's seed determines it."""
    model = Transformer.read(settings.transformer)
    first = model.layers - settings.trained_layers
    return UpperLayers(_pretrained(model), first, model.layers, model.heads).to(device)


@lru_cache(maxsize=1)
def _pretrained(model: Transformer) -> Weights:
    weights: Weights = load(read_file(model, model.weights))
    return weights
