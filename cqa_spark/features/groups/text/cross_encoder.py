"""Relevance of a candidate by cross-encoders that are fine-tuned on the training pairs."""

from __future__ import annotations

from typing import ClassVar

from cqa_spark.features.cross_encoder_group import CrossEncoderGroup
from cqa_spark.text.cross_encoding.settings import CrossEncoderSettings


class CrossEncoderV1(CrossEncoderGroup):
    """A small transformer with two trained layers, for training on a CPU."""

    name: ClassVar[str] = "cross_encoder_v1"
    about: ClassVar[str] = "relevance by a small transformer that reads both texts; its upper layers are fine-tuned"
    settings: ClassVar[CrossEncoderSettings] = CrossEncoderSettings(
        transformer="minilm",
        trained_layers=2,
        first_tokens=48,
        second_tokens=80,
        epochs=1,
        batch=32,
        learning_rate=3e-4,
        workers=2,
    )


class CrossEncoderFullV1(CrossEncoderGroup):
    """The same transformer with all layers trained and longer texts, for training on a GPU."""

    name: ClassVar[str] = "cross_encoder_full_v1"
    about: ClassVar[str] = "relevance by a transformer that reads both texts; all layers are fine-tuned, on a GPU"
    settings: ClassVar[CrossEncoderSettings] = CrossEncoderSettings(
        transformer="minilm",
        trained_layers=6,
        first_tokens=128,
        second_tokens=256,
        epochs=3,
        batch=32,
        learning_rate=5e-5,
        workers=1,
    )
