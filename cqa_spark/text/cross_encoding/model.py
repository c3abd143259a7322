"""Descriptions of transformers in ``conf/transformers/NAME.yaml``."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from pydantic import Field

from cqa_spark.text.pretrained.description import PretrainedModel


class Transformer(PretrainedModel):
    """A pretrained encoder with the layers of BERT (Devlin et al. 2019), whose weights are in safetensors format.

    Attributes:
        layers: number of layers.
        heads: attention heads of each layer.
    """

    folder: ClassVar[str] = "transformers"
    kind: ClassVar[str] = "transformer"
    example: ClassVar[str] = "minilm_l6"

    layers: int = Field(gt=1)
    heads: int = Field(gt=0)

    @property
    def version(self) -> str:
        """Twelve hexadecimal digits that identify the weights and the tokens."""
        return hashlib.sha256((self.weights.sha256 + self.tokenizer.sha256).encode()).hexdigest()[:12]
