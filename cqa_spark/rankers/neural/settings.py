"""How a network is trained: what the training process is given beside its examples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of the training.

    Attributes:
        epochs: passes over the training examples.
        batch: pairs that a step learns from.
        learning_rate: step size of Adam.
        dropout: share of nodes that a step leaves out.
        batch_norm: whether the inputs of each dense layer are normalised over the batch.
        most_words: first words of each text that are read.
        seed: of weights, batches and dropout.
    """

    epochs: int
    batch: int
    learning_rate: float
    dropout: float
    batch_norm: bool
    most_words: int
    seed: int
