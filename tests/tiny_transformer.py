"""A transformer with random weights, small enough for tests: three layers of size 16 with two heads."""

import hashlib
from pathlib import Path

import numpy as np
import yaml
from onnx import ModelProto, TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["[CLS]", "[SEP]", "[UNK]", "how", "much", "is", "a", "visa", "car", "costs", "100", "thanks", "bye"]
SIZE, INNER, LAYERS, HEADS, PLACES = 16, 32, 3, 2, 12


def write_tiny_transformer(home: Path, seed: int = 1) -> ModelProto:
    """Write the model and its description to a home that ``CQA_HOME`` can name.

    Returns:
        The graph.
    """
    graph = _Bert(np.random.default_rng(seed)).build()
    files = {"weights": graph.SerializeToString(), "tokenizer": _tokenizer().to_str().encode()}
    described = {"name": "tiny", "about": "For tests.", "languages": ["en"], "licence": "MIT", "pooling": "mean"}
    described |= {"source": {"folder": str(home)}, "dimension": SIZE, "max_tokens": PLACES}
    for name, content in files.items():
        (home / name).write_bytes(content)
        described[name] = {"file": name, "sha256": hashlib.sha256(content).hexdigest()}
    (home / "conf/models").mkdir(parents=True)
    (home / "conf/models/tiny.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    return graph


class _Bert:
    """Sections 3 of Vaswani et al. 2017 and of Devlin et al. 2019; operators are named as PyTorch exports them."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random, self._nodes, self._numbers = random, [], []

    def build(self) -> ModelProto:
        kind = TensorProto.INT64
        inputs = [
            helper.make_tensor_value_info(name, kind, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        states = self._layers()
        output = helper.make_tensor_value_info(states, TensorProto.FLOAT, ["texts", "tokens", SIZE])
        graph = helper.make_graph(self._nodes, "tiny", inputs, [output], self._numbers)
        return helper.make_model(graph, opset_imports=[helper.make_operatorsetid("", 14)], ir_version=8)

    def _layers(self) -> str:
        words = self._apply("words", "Gather", self._weights("words", len(WORDS), SIZE), "input_ids")
        kinds = self._apply("kinds", "Gather", self._weights("kinds", 2, SIZE), "token_type_ids")
        length = self._apply("length", "Gather", self._apply("shape", "Shape", "input_ids"), self._number("one", [1]))
        zero, axis = self._number("zero", [0]), self._number("axis", [0])
        places = self._apply("at", "Slice", self._weights("places", PLACES, SIZE), zero, length, axis)
        sums = self._apply("with_kinds", "Add", words, kinds)
        states = self._norm("/embeddings/LayerNorm", self._apply("with_places", "Add", sums, places))
        mask = self._apply("mask", "Unsqueeze", "attention_mask", self._number("axes", [1, 2]))
        floats = self._apply("floats", "Cast", mask, to=TensorProto.FLOAT)
        absent = self._apply("absent", "Sub", floats, self._number("1", np.float32(1)))
        self._hidden = self._apply("hidden", "Mul", absent, self._number("large", np.float32(1e9)))
        for number in range(LAYERS):
            states = self._layer(f"/encoder/layer.{number}", states)
        return states

    def _layer(self, name: str, states: str) -> str:
        heads = self._number(f"{name}/heads", [0, 0, HEADS, SIZE // HEADS])
        parts = []
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            dense = self._dense(f"{name}/attention/self/{part}", states, SIZE, SIZE)
            split = self._apply(f"{name}/{part}/split", "Reshape", dense, heads)
            parts.append(self._apply(f"{name}/{part}/turned", "Transpose", split, perm=order))
        products = self._apply(f"{name}/products", "MatMul", parts[0], parts[1])
        root = self._number(f"{name}/root", np.float32(np.sqrt(SIZE / HEADS)))
        logits = self._apply(f"{name}/logits", "Add", self._apply(f"{name}/Div", "Div", products, root), self._hidden)
        shares = self._apply(f"{name}/shares", "Softmax", logits, axis=-1)
        attended = self._apply(f"{name}/attended", "MatMul", shares, parts[2])
        turned = self._apply(f"{name}/turned", "Transpose", attended, perm=[0, 2, 1, 3])
        joined = self._apply(f"{name}/joined", "Reshape", turned, self._number(f"{name}/flat", [0, 0, SIZE]))
        states = self._residual(f"{name}/attention/output", joined, SIZE, states)
        inner = self._dense(f"{name}/intermediate/dense", states, SIZE, INNER)
        return self._residual(f"{name}/output", self._apply(f"{name}/Erf", "Erf", inner), INNER, states)

    def _residual(self, name: str, values: str, inputs: int, before: str) -> str:
        dense = self._dense(f"{name}/dense", values, inputs, SIZE)
        return self._norm(f"{name}/LayerNorm", self._apply(f"{name}/Add", "Add", dense, before))

    def _dense(self, name: str, values: str, inputs: int, nodes: int) -> str:
        product = self._apply(f"{name}/MatMul", "MatMul", values, self._weights(f"{name}/weights", inputs, nodes))
        return self._apply(f"{name}/Add", "Add", self._weights(f"{name}/biases", nodes), product)

    def _norm(self, name: str, values: str) -> str:
        mean = self._apply(f"{name}/mean", "ReduceMean", values, axes=[-1])
        centred = self._apply(f"{name}/centred", "Sub", values, mean)
        squares = self._apply(f"{name}/squares", "Mul", centred, centred)
        spread = self._apply(f"{name}/Sqrt", "Sqrt", self._apply(f"{name}/variance", "ReduceMean", squares, axes=[-1]))
        # A scale near 1 keeps what a layer read, as in a trained model.
        scaled = self._apply(f"{name}/Div", "Div", centred, spread)
        return self._apply(f"{name}/Add_1", "Add", scaled, self._weights(f"{name}/bias", SIZE))

    def _apply(self, name: str, operator: str, *inputs: str, **attributes: object) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [f"{name}_output"], name, **attributes))
        return f"{name}_output"

    def _weights(self, name: str, *shape: int) -> str:
        return self._number(name, self._random.normal(0, 0.5, shape).astype(np.float32))

    def _number(self, name: str, value: object) -> str:
        self._numbers.append(numpy_helper.from_array(np.asarray(value), name))
        return name


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    return tokenizer
