"""Descriptions of embedding models in ``conf/models/NAME.yaml``."""

from __future__ import annotations

import hashlib
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from cqa_spark.text.pretrained import PretrainedModel

DIGITS = 4
"""Decimal places of a vector's components; further places differ between CPUs."""


class EmbeddingModel(PretrainedModel):
    """A pretrained model that turns a text into a vector of unit length.

    Attributes:
        encoder: name of the encoder that runs the model; by default, ONNX Runtime, for a graph with the weights inside.
        pooling: the vector of a text is that of its first token, or the mean over its tokens; ONNX only.
        prefix: text that the model expects before every input.
        dimension: number of components of a vector.
        max_tokens: maximum number of tokens; longer texts are truncated. ONNX only.
    """

    folder: ClassVar[str] = "models"
    kind: ClassVar[str] = "embedding model"

    encoder: str = "onnx"
    pooling: Literal["first_token", "mean"] | None = None
    prefix: str = ""
    dimension: int = Field(gt=0)
    max_tokens: int | None = Field(default=None, gt=2)

    @model_validator(mode="after")
    def _pooling_of_onnx(self) -> EmbeddingModel:
        if self.encoder == "onnx" and (self.pooling is None or self.max_tokens is None):
            raise ValueError("an ONNX model needs pooling and max_tokens")
        return self

    @property
    def version(self) -> str:
        """Twelve hexadecimal digits that identify everything that affects the vectors."""
        parts = (
            self.encoder,
            self.weights.sha256,
            self.tokenizer.sha256,
            self.pooling,
            self.prefix,
            self.max_tokens,
            DIGITS,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
