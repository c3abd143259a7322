"""Fine-tunes the upper layers of cross-encoders on judged pairs; imports JAX."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cqa_spark.networks.batches import similar_lengths
from cqa_spark.networks.training import Optimizer, Trainer
from cqa_spark.text.cross_encoder import CrossEncoderSettings, EncodedPairs, States, TextEncoder
from cqa_spark.text.cross_encoder_layers import new_upper_layers

_WARM_UP = 0.1
"""Share of the steps in which the step size grows to its maximum; it then decreases to 0."""
_OPTIMIZER = {"weight_decay": 0.01, "largest_gradient": 1.0}
_MULTIPLE = 32
"""Batches are padded to a multiple of this number of tokens: a step is compiled for each length."""


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Training pairs.

    Attributes:
        first: the first text of each pair.
        second: the second text of each pair.
        relevant: whether the second text is relevant to the first one.
        fold: the fold of each pair, from 0.
    """

    first: Sequence[str]
    second: Sequence[str]
    relevant: NDArray[np.bool_]
    fold: NDArray[np.int32]


def learn(pairs: JudgedPairs, settings: CrossEncoderSettings, folds: Iterable[int]) -> Iterator[bytes]:
    """Fine-tune the upper layers once per fold, on the pairs outside of it: on all pairs if no pair is in the fold.

    Args:
        pairs: the training pairs.
        settings: sizes and training.
        folds: the folds to exclude.

    Yields:
        The upper layers as an ONNX file, for each fold. They are the same in each run on a given machine.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """
    encoder = TextEncoder(settings)
    first = _learned_states(encoder, pairs.first, settings.first_tokens)
    second = _learned_states(encoder, pairs.second, settings.second_tokens)
    for excluded in folds:
        outside = np.flatnonzero(pairs.fold != excluded)
        encoded = EncodedPairs([first[number] for number in outside], [second[number] for number in outside])
        yield _fine_tuned(encoded, pairs.relevant[outside], settings)


def _fine_tuned(pairs: EncodedPairs, relevant: NDArray[np.bool_], settings: CrossEncoderSettings) -> bytes:
    """The upper layers after training by AdamW on the cross-entropy of relevance.

    Source:
        Devlin et al. 2019, BERT, section 4 and appendix A.3; Nogueira and Cho 2019, Passage Re-ranking with BERT.
    """
    upper = new_upper_layers(settings.transformer, settings.trained_layers, settings.seed)
    trainer = Trainer(upper, Optimizer(settings.learning_rate, **_OPTIMIZER), settings.seed)
    random, lengths = np.random.default_rng(settings.seed), pairs.lengths()
    steps = settings.epochs * -(-len(lengths) // settings.batch)
    epochs = (similar_lengths(lengths, settings.batch, random) for _ in range(settings.epochs))
    warm_up = max(1.0, _WARM_UP * steps)
    for step, batch in enumerate(chain.from_iterable(epochs)):
        # The step size relative to its maximum.
        share = min((step + 1) / warm_up, max(0.0, (steps - step) / max(1.0, steps - warm_up)))
        trainer.step(pairs.batch(batch.tolist(), _MULTIPLE), relevant[batch], share)
    return trainer.trained().SerializeToString()


def _learned_states(encoder: TextEncoder, texts: Sequence[str], most_tokens: int) -> list[States]:
    """The states of each text; equal texts share them."""
    # 16 bits halve the memory, which is about 40 kB a distinct text.
    distinct = {text: encoder.states(text, most_tokens).astype(np.float16) for text in dict.fromkeys(texts)}
    return [distinct[text] for text in texts]
