"""Pairs of texts, and their batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


class Batch(NamedTuple):
    """Input of the upper layers.

    Attributes:
        states: shape (pairs, tokens, size).
        is_second: True for tokens of the second text, shape (pairs, tokens).
        is_token: False for padding, shape (pairs, tokens).
    """

    states: Tensor
    is_second: Tensor
    is_token: Tensor


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs of encoded texts; several pairs may share a text.

    Attributes:
        first: states of the first text of each pair, shape (tokens, size).
        second: states of the second text of each pair.
    """

    first: Sequence[Tensor]
    second: Sequence[Tensor]

    def __len__(self) -> int:
        return len(self.first)

    def batch(self, numbers: Sequence[int], device: torch.device) -> Batch:
        """Some of the pairs, padded to the longest of them."""
        chosen = [(self.first[number], self.second[number]) for number in numbers]
        states = [torch.cat(pair).to(device, torch.float32) for pair in chosen]
        length = torch.tensor([len(states_of_text) for states_of_text in states], device=device)
        start = torch.tensor([len(first) for first, _ in chosen], device=device)
        padded = pad_sequence(states, batch_first=True)
        number = torch.arange(padded.shape[1], device=device)
        is_token = number < length[:, None]
        return Batch(padded, (number >= start[:, None]) & is_token, is_token)
