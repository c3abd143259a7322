"""Similarity of two sentences by the embeddings of each model, learned from labelled pairs."""

from __future__ import annotations

from typing import ClassVar

from cqa_spark.features.pair_regression_group import PairRegressionGroup


class BgePairRegressionV1(PairRegressionGroup):
    """Embeddings of BGE small, for English."""

    name: ClassVar[str] = "bge_pair_regression_v1"
    about: ClassVar[str] = "similarity of two sentences by their embeddings of BGE small, learned from labelled pairs"
    embeddings: ClassVar[tuple[str, ...]] = ("bge_small_en",)


class UsePairRegressionV1(PairRegressionGroup):
    """Embeddings of the multilingual Universal Sentence Encoder: the two sentences may be in different languages."""

    name: ClassVar[str] = "use_pair_regression_v1"
    about: ClassVar[str] = (
        "similarity of two sentences in 16 languages by their embeddings of the multilingual Universal Sentence "
        "Encoder, learned from labelled pairs"
    )
    embeddings: ClassVar[tuple[str, ...]] = ("use_multilingual",)
