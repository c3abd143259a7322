"""Scores pairs of texts with fine-tuned cross-encoders, by ONNX Runtime on one thread."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, compose, helper, load_from_string
from tokenizers import Tokenizer

from cqa_spark.networks.onnx_in_jax import GraphBuilder, part
from cqa_spark.networks.scoring import run
from cqa_spark.networks.training import Optimizer, Trainer, similar_lengths
from cqa_spark.text.encoders.encoder import read_shipped
from cqa_spark.text.encoders.model import EmbeddingModel


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


States = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class EncodedPairs:
    """Pairs of encoded texts; several pairs may share a text.

    Attributes:
        first: states of the first text of each pair, shape (tokens, size).
        second: states of the second text of each pair.
    """

    first: Sequence[States]
    second: Sequence[States]

    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each pair."""
        return np.array(
            [len(first) + len(second) for first, second in zip(self.first, self.second, strict=True)], np.int64
        )

    def batch(self, pairs: Sequence[int], multiple: int = 1) -> dict[str, NDArray[Any]]:
        """The input of the upper layers.

        Args:
            pairs: numbers of the pairs.
            multiple: the number of tokens, with padding, is a multiple of this.
        """
        chosen = [(self.first[number], self.second[number]) for number in pairs]
        most = max(len(first) + len(second) for first, second in chosen)
        tokens = -(-most // multiple) * multiple
        states = np.zeros((len(chosen), tokens, chosen[0][0].shape[1]), dtype=np.float32)
        is_second = np.zeros((len(chosen), tokens, 1), dtype=np.float32)
        mask = np.zeros((len(chosen), tokens), dtype=np.int64)
        for row, (first, second) in enumerate(chosen):
            end = len(first) + len(second)
            states[row, :end] = np.concatenate([first, second])
            is_second[row, len(first) : end], mask[row, :end] = 1.0, 1
        return {"states": states, "is_second": is_second, "attention_mask": mask}


DIGITS = 4
"""Decimal places of a score; further places differ between CPUs."""


class TextEncoder:
    """Encodes texts one by one, so that the states of a text do not depend on other texts.

    Args:
        settings: of the cross-encoder.

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """

    def __init__(self, settings: CrossEncoderSettings) -> None:

        layers = lower_layers(settings.transformer, settings.trained_layers)
        self._output, self._layers = layers.graph.output[0].name, layers.SerializeToString()
        model = EmbeddingModel.read(settings.transformer)
        self._tokenizer = Tokenizer.from_buffer(read_shipped(model, model.tokenizer))
        self._tokenizer.no_padding()

    def states(self, text: str, most_tokens: int) -> States:
        """The states of the tokens of a text after the lower layers, the start and end of the text included.

        Args:
            text: the text.
            most_tokens: maximum number of tokens; longer texts are truncated.

        Returns:
            Shape (tokens, size).
        """
        self._tokenizer.enable_truncation(most_tokens)
        tokens = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        # Each text is encoded alone, so all tokens are of the first type.
        inputs = {"input_ids": tokens, "token_type_ids": np.zeros_like(tokens), "attention_mask": np.ones_like(tokens)}
        return run(self._layers, self._output, inputs)[0]


class EncodedTexts:
    """Texts whose states are computed once, on first use.

    Args:
        texts: the texts.
        settings: of the cross-encoder.
    """

    def __init__(self, texts: Sequence[str], settings: CrossEncoderSettings) -> None:
        self._texts = texts
        self._settings = settings
        self._states: dict[tuple[int, int], States] = {}

    def score(self, network: bytes, first: int, second: int) -> float:
        """The log-odds that the second text is relevant to the first one, rounded.

        Args:
            network: fine-tuned upper layers, as an ONNX file.
            first: index of the first text.
            second: index of the second text.
        """
        states = self._of(first, self._settings.first_tokens), self._of(second, self._settings.second_tokens)
        # One pair at a time: padding would make the last digits depend on other pairs.
        pair = EncodedPairs([states[0]], [states[1]]).batch([0])
        return round(float(run(network, "log_odds", pair)[0, 0]), DIGITS)

    def _of(self, text: int, most_tokens: int) -> States:
        key = text, most_tokens
        if key not in self._states:
            self._states[key] = _encoder(self._settings).states(self._texts[text], most_tokens)
        return self._states[key]


@lru_cache(maxsize=1)
def _encoder(settings: CrossEncoderSettings) -> TextEncoder:
    return TextEncoder(settings)


# The two parts of a pretrained transformer, cut from its graph; imports ONNX.

DROPOUT = 0.1
"""As in BERT (Devlin et al. 2019, appendix A.2)."""

TOKENS, KINDS, MASK = "input_ids", "token_type_ids", "attention_mask"
_LAYER = "/encoder/layer.{}/"
"""Operators of a layer have names that begin so; the names are those that PyTorch's exporter gives to BERT."""

_NORM = "output/LayerNorm/Add_1"


def lower_layers(name: str, trained_layers: int) -> ModelProto:
    """The layers that encode a text alone, as pretrained.

    Args:
        name: of the transformer, in ``conf/models``.
        trained_layers: number of upper layers.

    Returns:
        A graph with one output, of shape (texts, tokens, size).

    Raises:
        EnvironmentProblem: the transformer is not installed, or a file differs from its description.
    """
    model = _pretrained(name)
    return part(model, [TOKENS, KINDS, MASK], [_states(model, _layers(model) - trained_layers)])


def new_upper_layers(name: str, trained_layers: int, seed: int) -> ModelProto:
    """The pretrained layers that read both texts of a pair, with a random output for the first token.

    Args:
        name: of the transformer, in ``conf/models``.
        trained_layers: number of upper layers.
        seed: seed of the output.

    Returns:
        A graph whose output is ``log_odds``, of shape (pairs, 1). Its inputs are ``states``, the outputs of the lower
        layers for one text after the other, of shape (pairs, tokens, size); ``is_second``, 1 for tokens of the second
        text, of shape (pairs, tokens, 1); and the mask, 0 for padding, of shape (pairs, tokens).
    """
    model, layers = _pretrained(name), _layers(_pretrained(name))
    first, last, final = (_states(model, layer) for layer in (layers - trained_layers, layers - 1, layers))
    upper = part(model, [first, MASK], [final])
    _edit(upper, last, _LAYER.format(layers - 1))
    size = upper.graph.input[0].type.tensor_type.shape.dim[2].dim_value

    marked = GraphBuilder(upper, "before/")
    states, is_second = (
        marked.add_input(*tensor) for tensor in (("states", "p", "t", size), ("is_second", "p", "t", 1))
    )
    kind = marked.apply("MatMul", is_second, marked.add_weights("second_text", np.zeros((1, size))))
    before = marked.build(marked_states=marked.apply("Add", states, kind))

    output = GraphBuilder(upper, "after/")
    token = output.apply("Squeeze", output.add_input("first_token", "p", 1, size), output.add_constant([1]))
    weights = output.add_weights("output_weights", np.random.default_rng(seed).normal(0, 0.02, (size, 1)))
    product = output.apply("MatMul", output.apply("Dropout", token, output.add_constant(DROPOUT)), weights)
    after = output.build(log_odds=output.apply("Add", product, output.add_weights("output_bias", np.zeros(1))))

    joined = compose.merge_models(before, upper, [("marked_states", first)])
    return compose.merge_models(joined, after, [(final, "first_token")])


def _edit(upper: ModelProto, last: str, last_layer: str) -> None:
    """Add dropout before residual connections, and let the last layer compute the first token only."""
    constants = GraphBuilder(upper, "constants/")
    rate, start, end, axis = (constants.add_constant(value) for value in (DROPOUT, [0], [1], [1]))
    edited: list[NodeProto] = [*constants.nodes]
    first_token = helper.make_node("Slice", [last, start, end, axis], ["first_token_states"])
    if last == upper.graph.input[0].name:
        edited.append(first_token)
    for node in upper.graph.node:
        if node.name.startswith(last_layer) and node.name.endswith(("self/query/MatMul", "attention/output/Add")):
            node.input[:] = ["first_token_states" if name == last else name for name in node.input]
        edited.append(node)
        if node.name.endswith("output/dense/Add"):
            output = node.output[0]
            node.output[0] = f"{output}_before_dropout"
            edited.append(helper.make_node("Dropout", [node.output[0], rate], [output]))
        if last in node.output:
            edited.append(first_token)
    copies = [NodeProto.FromString(node.SerializeToString()) for node in edited]
    del upper.graph.node[:], upper.graph.value_info[:]
    upper.graph.node.extend(copies)


def _layers(model: ModelProto) -> int:
    names = {node.name for node in model.graph.node}
    return next(number for number in range(len(names)) if f"{_LAYER.format(number)}{_NORM}" not in names)


def _states(model: ModelProto, layers: int) -> str:
    """The name of the tensor after a number of layers."""
    norm = f"{_LAYER.format(layers - 1)}{_NORM}" if layers else "/embeddings/LayerNorm/Add_1"
    (output,) = (node.output[0] for node in model.graph.node if node.name == norm)
    return str(output)


@lru_cache(maxsize=1)
def _pretrained(name: str) -> ModelProto:
    model = EmbeddingModel.read(name)
    return load_from_string(read_shipped(model, model.weights))


# Fine-tunes the upper layers on judged pairs; imports JAX.

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
    """Fine-tune the upper layers on the complements of folds; that of a fold without pairs is all pairs.

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
        own = np.flatnonzero(pairs.fold != excluded)
        encoded = EncodedPairs([first[number] for number in own], [second[number] for number in own])
        yield _fine_tuned(encoded, pairs.relevant[own], settings)


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
    for step, batch in enumerate(chain.from_iterable(epochs)):
        trainer.step(pairs.batch(batch.tolist(), _MULTIPLE), relevant[batch], _share(step, steps))
    return trainer.trained().SerializeToString()


def _share(step: int, steps: int) -> float:
    """The step size relative to its maximum."""
    warm_up = max(1.0, _WARM_UP * steps)
    return min((step + 1) / warm_up, max(0.0, (steps - step) / max(1.0, steps - warm_up)))


def _learned_states(encoder: TextEncoder, texts: Sequence[str], most_tokens: int) -> list[States]:
    """The states of each text; equal texts share them."""
    # 16 bits halve the memory, which is about 40 kB a distinct text.
    distinct = {text: encoder.states(text, most_tokens).astype(np.float16) for text in dict.fromkeys(texts)}
    return [distinct[text] for text in texts]
