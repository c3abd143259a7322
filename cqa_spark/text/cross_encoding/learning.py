"""The function of each training process: fine-tunes the models of all folds, together with the other processes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor

from cqa_spark.spark.torch_distributor import own_rows
from cqa_spark.spark.torch_processes import Processes, use_one_thread
from cqa_spark.text.cross_encoding.fine_tuning import fine_tune
from cqa_spark.text.cross_encoding.pairs import EncodedPairs
from cqa_spark.text.cross_encoding.parts import TextEncoder, new_upper_layers
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings


def learn_partition(settings: CrossEncoderSettings, folds: int) -> list[bytes]:
    """Fine-tune on this process's partition: rows with ``first``, ``second``, ``relevant`` and ``fold``.

    Args:
        settings: sizes and training.
        folds: number of folds.

    Returns:
        As ``learn`` does.
    """
    rows = own_rows()
    relevant, fold = (rows[name].to_numpy() for name in ("relevant", "fold"))
    return learn(rows["first"].to_pylist(), rows["second"].to_pylist(), relevant.astype(bool), fold, folds, settings)


def learn(
    first: Sequence[str],
    second: Sequence[str],
    relevant: NDArray[np.bool_],
    fold: NDArray[np.int32],
    folds: int,
    settings: CrossEncoderSettings,
) -> list[bytes]:
    """Fine-tune the upper layers on the complement of each fold, and on all pairs.

    Args:
        first: the first text of each pair.
        second: the second text of each pair.
        relevant: whether the second text is relevant to the first one.
        fold: the fold of each pair, from 0.
        folds: number of folds.
        settings: sizes and training.

    Returns:
        The weights of the upper layers in safetensors format: by excluded fold, then of the model on all pairs. With
        the same number of processes, they are the same in each run on a given machine.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """
    use_one_thread()
    with Processes() as processes:
        encoder = TextEncoder(settings, processes.device)
        one = _states(encoder, first, settings.first_tokens)
        other = _states(encoder, second, settings.second_tokens)
        weights = []
        for excluded in range(folds + 1):
            own = np.flatnonzero(fold != excluded)
            torch.manual_seed(settings.seed)
            network = new_upper_layers(settings, processes.device)
            pairs = EncodedPairs([one[number] for number in own], [other[number] for number in own])
            fine_tune(network, pairs, relevant[own], settings, processes)
            weights.append(save(network.state_dict()))
        return weights


def _states(encoder: TextEncoder, texts: Sequence[str], most_tokens: int) -> list[Tensor]:
    """The states of each text; equal texts share them."""
    # 16 bits halve the memory, which is about 40 kB a distinct text.
    distinct = {text: encoder.states(text, most_tokens).half().cpu() for text in dict.fromkeys(texts)}
    return [distinct[text] for text in texts]
