"""The baseline of the STS tasks."""

import pytest
from literal_batches import batch_of, pairs_of, values
from literal_threads import Pair, Said, Thread

from cqa_spark.features.groups.similarity.term_similarity import TokenCosineV1


def test_tokens_count_once_as_they_are_written() -> None:
    pairs = (Pair("a a b", "", "b c, A d"), Pair("a", "", ""))
    assert [each["cosine"] for each in values(TokenCosineV1(), pairs_of(pairs))] == [pytest.approx(1 / 8**0.5), 0.0]


def test_a_pair_without_a_known_text_has_no_value() -> None:
    [found] = values(TokenCosineV1(), batch_of([Thread("Q1", None, [Said(None, "good")])]))
    assert found["cosine"] is None
