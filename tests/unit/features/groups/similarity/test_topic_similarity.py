"""Similarity by topics."""

from math import log2

import numpy as np
import pytest
from literal_batches import pairs_of, values
from literal_threads import Pair

from cqa_spark.features.groups.similarity.topic_similarity import TopicSimilarityV2, cosine, divergence, topic_share
from cqa_spark.text.topics import Topics

_ONE = np.array([[0.5, 0.25, 0.25], [0.2, 0.3, 0.5], [np.nan] * 3])
_OTHER = np.array([[0.25, 0.25, 0.5], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5]])


def test_cosine() -> None:
    assert cosine(_ONE, _OTHER) == pytest.approx([0.3125 / 0.375, 1.0, np.nan], nan_ok=True)


def test_divergence_is_in_bits() -> None:
    bits = (0.5 * log2(0.5 / 0.375) + 0.25 * log2(0.25 / 0.375)) / 2 * 2
    assert divergence(_ONE, _OTHER) == pytest.approx([bits, 0.0, np.nan], nan_ok=True)


def test_the_share_of_the_main_topic() -> None:
    assert topic_share(_ONE, _OTHER) == pytest.approx([0.25, 0.5, np.nan], nan_ok=True)


def test_values_follow_from_the_stems_of_both_texts() -> None:
    topics = Topics(["rice", "visa"], np.array([[90.0, 1.0], [1.0, 90.0]]))
    batch = pairs_of([Pair("rice", "rice", "rice rice rice"), Pair("visa", "", "rice"), Pair("", "fish", "visa")])
    same, other, unknown = values(TopicSimilarityV2(topics), batch)
    assert same["query_cosine"] == pytest.approx(1.0, abs=0.01)
    assert same["query_topic_share"] == same["main_share"] > 0.8
    assert other["query_cosine"] < same["query_cosine"] - 0.2
    assert other["query_topic_share"] == pytest.approx(1 - other["main_share"])
    assert other["query_divergence"] == other["subject_divergence"] > 0.1
    assert (unknown["query_cosine"], unknown["subject_topic_share"]) == (None, None)
    assert unknown["main_share"] == pytest.approx(other["main_share"])
