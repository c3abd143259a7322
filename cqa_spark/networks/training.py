"""Trains the weights of a graph whose output is the log-odds of relevance; imports JAX."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# One thread: threads change the order of sums, and Spark already runs one task per core. JAX reads it when imported.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from numpy.typing import NDArray
from onnx import ModelProto

from cqa_spark.networks.graph import weights_of, with_weights
from cqa_spark.networks.onnx_in_jax import evaluate

LOG_ODDS = "log_odds"
"""Name of the output of a network, of shape (pairs, 1)."""

_MEAN_DECAY, _SQUARE_DECAY, _EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Optimizer:
    """Settings of AdamW; without weight decay, it is Adam.

    Attributes:
        learning_rate: maximum step size.
        weight_decay: shrinks matrices by this share of the step size; vectors of weights do not decay.
        largest_gradient: longer gradients are scaled to this length.

    Source:
        Kingma and Ba 2015, Adam; Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization.
    """

    learning_rate: float
    weight_decay: float = 0.0
    largest_gradient: float = float("inf")


class Trainer:
    """Minimises the mean cross-entropy of relevance, one step per batch.

    JAX compiles the step for each shape of the inputs, which takes seconds: give few different shapes.

    Args:
        model: the graph, with initial weights.
        optimizer: settings.
        seed: seed of the dropout.
        total: sums an array over the workers that train together.
    """

    def __init__(
        self,
        model: ModelProto,
        optimizer: Optimizer,
        seed: int,
        total: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    ) -> None:
        weights = weights_of(model)
        self._model, self._optimizer, self._total = model, optimizer, total
        # All weights as one vector, and the function that turns a vector back into weights by name.
        self._weights, self._named = ravel_pytree(weights)
        decays = {name: np.full_like(values, values.ndim > 1) for name, values in weights.items()}
        self._decays = ravel_pytree(decays)[0]  # 1 for the weights of matrices, 0 for the others
        self._moments = jnp.zeros_like(self._weights), jnp.zeros_like(self._weights)
        self._key = jax.random.key(seed, impl="unsafe_rbg")
        self._steps = 0
        self._gradient = jax.jit(jax.value_and_grad(self._loss, has_aux=True))
        self._update = jax.jit(self._updated)

    def step(self, inputs: Mapping[str, Any], relevant: NDArray[np.bool_], share: float = 1.0) -> None:
        """Change the weights by one batch.

        Args:
            inputs: inputs of the graph, by name.
            relevant: whether the candidate of each pair is relevant, shape (pairs,).
            share: the step size relative to its maximum.
        """
        self._steps += 1
        step = np.uint32(self._steps)
        (_, statistics), gradient = self._gradient(self._weights, dict(inputs), relevant.astype(np.float32), step)
        if self._total is not None:
            # The mean gradient of all workers' pairs: the sum over the workers, whose last item counts the pairs.
            sums = self._total(np.append(np.asarray(gradient, np.float64) * len(relevant), len(relevant)))
            gradient = (sums[:-1] / sums[-1]).astype(np.float32)
        self._weights, self._moments = self._update(
            self._weights, self._moments, gradient, statistics, np.float32(share), step
        )

    def trained(self) -> ModelProto:
        """The graph with the weights after the last step."""
        weights = self._named(self._weights)
        return with_weights(self._model, {name: np.asarray(values) for name, values in weights.items()})

    def _loss(self, weights: Any, inputs: Any, relevant: Any, step: Any) -> Any:
        key = jax.random.fold_in(self._key, step)
        outputs, statistics = evaluate(self._model, {**self._named(weights), **inputs}, key)
        log_odds = outputs[LOG_ODDS][:, 0]
        return jnp.mean(jax.nn.softplus(log_odds) - relevant * log_odds), statistics

    def _updated(self, weights: Any, moments: Any, gradient: Any, statistics: Any, share: Any, step: Any) -> Any:
        """The weights and the moments of the gradient after a step of AdamW."""
        settings = self._optimizer
        gradient = gradient * jnp.minimum(1.0, settings.largest_gradient / (jnp.linalg.norm(gradient) + _EPSILON))
        mean = _MEAN_DECAY * moments[0] + (1 - _MEAN_DECAY) * gradient
        square = _SQUARE_DECAY * moments[1] + (1 - _SQUARE_DECAY) * gradient**2
        unbiased = mean / (1 - _MEAN_DECAY**step), square / (1 - _SQUARE_DECAY**step)
        change = unbiased[0] / (jnp.sqrt(unbiased[1]) + _EPSILON) + settings.weight_decay * self._decays * weights
        named = self._named(weights - settings.learning_rate * share * change)
        return ravel_pytree({**named, **statistics})[0], (mean, square)
