"""Settings of the training processes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of the training.

    Attributes:
        epochs: passes over the training examples.
        batch: batch size in pairs.
        learning_rate: step size of Adam.
        dropout: dropout rate.
        batch_norm: whether the inputs of each dense layer are normalised over the batch.
        most_words: maximum number of words of each text.
        seed: seed of weights, batches and dropout.
    """

    epochs: int
    batch: int
    learning_rate: float
    dropout: float
    batch_norm: bool
    most_words: int
    seed: int
