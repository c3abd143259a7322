"""Settings of cross-encoders."""

from dataclasses import dataclass


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
