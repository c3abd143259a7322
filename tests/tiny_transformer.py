"""A transformer with random weights, small enough for tests: three layers of size 16 with two heads."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from safetensors.numpy import save
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["[CLS]", "[SEP]", "[UNK]", "how", "much", "is", "a", "visa", "car", "costs", "100", "thanks", "bye"]
SIZE, INNER, LAYERS, HEADS, PLACES = 16, 32, 3, 2, 12


def write_tiny_transformer(home: Path, seed: int = 1) -> dict[str, NDArray[np.float32]]:
    """Write the model and its description to a home that ``CQA_HOME`` can name.

    Returns:
        The weights.
    """
    weights = _weights(np.random.default_rng(seed))
    files = {"weights": save(weights), "tokenizer": _tokenizer().to_str().encode()}
    described = {"name": "tiny", "about": "For tests.", "languages": ["en"], "licence": "MIT"}
    described |= {"source": {"folder": str(home)}, "layers": LAYERS, "heads": HEADS}
    for name, content in files.items():
        (home / name).write_bytes(content)
        described[name] = {"file": name, "sha256": hashlib.sha256(content).hexdigest()}
    (home / "conf/transformers").mkdir(parents=True)
    (home / "conf/transformers/tiny.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    return weights


def _weights(random: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": (PLACES, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        **_of_norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{prefix}{name}.weight": (SIZE, SIZE), f"{prefix}{name}.bias": (SIZE,)}
        shapes |= {f"{prefix}intermediate.dense.weight": (INNER, SIZE), f"{prefix}intermediate.dense.bias": (INNER,)}
        shapes |= {f"{prefix}output.dense.weight": (SIZE, INNER), f"{prefix}output.dense.bias": (SIZE,)}
        shapes |= _of_norm(f"{prefix}attention.output.LayerNorm") | _of_norm(f"{prefix}output.LayerNorm")
    # A norm near 1 keeps what a layer read, as in a trained model.
    means = {name: 1.0 if name.endswith("LayerNorm.weight") else 0.0 for name in shapes}
    return {name: random.normal(means[name], 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def _of_norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (SIZE,), f"{name}.bias": (SIZE,)}


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    return tokenizer
