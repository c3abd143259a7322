"""The layers of BERT in PyTorch, and their division into lower and upper layers."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

Weights = Mapping[str, Tensor]
"""Tensors by name, as published models name them."""

EPSILON = 1e-12
DROPOUT = 0.1
"""As in BERT (Devlin et al. 2019, appendix A.2)."""

_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "norm_attended": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm": "output.LayerNorm",
}
"""The names of a layer's parts in published models."""

_EMBEDDINGS = ("word", "position", "token_type")


class TransformerLayer(nn.Module):
    """Self-attention and a feed-forward network, each followed by dropout, the residual connection and a norm.

    Args:
        weights: the pretrained weights.
        number: number of the layer, from 0.
        heads: number of attention heads.
    """

    def __init__(self, weights: Weights, number: int, heads: int) -> None:
        super().__init__()
        self._heads = heads
        prefix = f"encoder.layer.{number}."
        size = len(weights[f"{prefix}{_PARTS['norm']}.bias"])
        inner = len(weights[f"{prefix}{_PARTS['up']}.bias"])
        self.query, self.key, self.value, self.attended = (nn.Linear(size, size) for _ in range(4))
        self.up, self.down = nn.Linear(size, inner), nn.Linear(inner, size)
        self.norm_attended, self.norm = (nn.LayerNorm(size, eps=EPSILON) for _ in range(2))
        self.dropout = nn.Dropout(DROPOUT)
        pretrained = {
            f"{part}.{kind}": weights[f"{prefix}{name}.{kind}"]
            for part, name in _PARTS.items()
            for kind in ("weight", "bias")
        }
        self.load_state_dict(pretrained)

    def forward(self, states: Tensor, is_token: Tensor, *, only_first: bool = False) -> Tensor:
        """The next states.

        Args:
            states: shape (texts, tokens, size).
            is_token: False for padding; shape (texts, tokens).
            only_first: compute the state of the first token only.

        Returns:
            Shape (texts, tokens, size), with one token if ``only_first``.
        """
        asking = states[:, :1] if only_first else states
        attention = scaled_dot_product_attention(
            self._split(self.query(asking)), self._split(self.key(states)), self._split(self.value(states)),
            attn_mask=is_token[:, None, None, :],
        )  # fmt: skip
        joined = attention.transpose(1, 2).flatten(2)
        attended = self.norm_attended(asking + self.dropout(self.attended(joined)))
        next_states: Tensor = self.norm(attended + self.dropout(self.down(gelu(self.up(attended)))))
        return next_states

    def _split(self, values: Tensor) -> Tensor:
        """Shape (texts, heads, tokens, size of a head)."""
        return values.unflatten(2, (self._heads, -1)).transpose(1, 2)


class LowerLayers(nn.Module):
    """The embeddings of tokens, and the lower layers, as pretrained.

    Args:
        weights: the pretrained weights.
        layers: number of layers.
        heads: attention heads of each layer.
    """

    words: Tensor
    places: Tensor

    def __init__(self, weights: Weights, layers: int, heads: int) -> None:
        super().__init__()
        words, places, types = (weights[f"embeddings.{name}_embeddings.weight"] for name in _EMBEDDINGS)
        self.register_buffer("words", words)
        # Each text is encoded alone, so all tokens are of the first type.
        self.register_buffer("places", places + types[0])
        self.norm = nn.LayerNorm(words.shape[1], eps=EPSILON)
        self.norm.load_state_dict({kind: weights[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias")})
        self.layers = nn.ModuleList(TransformerLayer(weights, number, heads) for number in range(layers))
        self.eval().requires_grad_(requires_grad=False)

    def forward(self, tokens: Tensor, is_token: Tensor) -> Tensor:
        """The states of texts.

        Args:
            tokens: numbers of tokens, shape (texts, tokens).
            is_token: False for padding.

        Returns:
            Shape (texts, tokens, size).
        """
        states: Tensor = self.norm(self.words[tokens] + self.places[: tokens.shape[1]])
        for layer in self.layers:
            states = layer(states, is_token)
        return states


class UpperLayers(nn.Module):
    """The layers that read both texts of a pair, and the output; fine-tuned.

    Args:
        weights: the pretrained weights.
        first: number of the first upper layer.
        layers: number of layers of the model.
        heads: attention heads of each layer.
    """

    def __init__(self, weights: Weights, first: int, layers: int, heads: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(TransformerLayer(weights, number, heads) for number in range(first, layers))
        size = len(weights["embeddings.LayerNorm.bias"])
        self.second_text = nn.Parameter(torch.zeros(size))
        self.dropout = nn.Dropout(DROPOUT)
        self.output = nn.Linear(size, 1)
        nn.init.normal_(self.output.weight, std=0.02)
        nn.init.zeros_(self.output.bias)

    def forward(self, states: Tensor, is_second: Tensor, is_token: Tensor) -> Tensor:
        """The log-odds that the second text is relevant to the first one, shape (pairs,).

        Args:
            states: outputs of the lower layers for both texts, one text after the other, shape (pairs, tokens, size).
            is_second: True for tokens of the second text, shape (pairs, tokens).
            is_token: False for padding, shape (pairs, tokens).
        """
        states = states + is_second[..., None] * self.second_text
        *inner, last = self.layers
        for layer in inner:
            states = layer(states, is_token)
        first: Tensor = last(states, is_token, only_first=True)[:, 0]
        scores: Tensor = self.output(self.dropout(first))[:, 0]
        return scores
