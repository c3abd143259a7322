"""Topics of small collections."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from saved_folders import saved

from cqa_spark.text.topics import TOPICS, Topics

_FOOD = ["rice", "dates", "fish", "lamb", "bread", "tea"]
_VISAS = ["visa", "permit", "stamp", "sponsor", "passport", "fee"]


def _lists(*texts: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([text], pa.list_(pa.string())) for text in texts], pa.list_(pa.string()))


_TEXTS = [words[start:] + words[:start] for words in (_FOOD, _VISAS) for start in range(6)]


@pytest.fixture(scope="module")
def topics() -> Topics:
    """Learned from twelve texts; every term is in six of them, and "rare" in one."""
    return Topics.of_texts(_lists(*_TEXTS[1:], [*_TEXTS[0], "rare", "rare"]))


def test_terms_that_are_neither_rare_nor_everywhere_have_topics(topics: Topics) -> None:
    assert topics.vocabulary == sorted([*_FOOD, *_VISAS])
    assert topics.weights.shape == (TOPICS, 12)
    assert (topics.weights > 0).all()


def test_what_is_of_a_kind_is_about_the_same(topics: Topics) -> None:
    food, more_food, visas = topics.shares(_lists(["rice", "lamb"], ["bread", "tea"], ["sponsor", "fee"]))
    assert food.sum() == pytest.approx(1.0)
    assert food @ more_food > food @ visas + 0.2


def test_what_has_no_known_term_has_no_topics(topics: Topics) -> None:
    shares = topics.shares(_lists(["rare"], ["rice"], []))
    assert np.isnan(shares).all(axis=1).tolist() == [True, False, True]
    assert topics.shares(_lists()).shape == (0, TOPICS)


def test_other_texts_change_no_digit(topics: Topics) -> None:
    texts = [*_TEXTS, ["rice", "visa", "rice"], ["rare"], ["tea"] * 40]
    alone = np.concatenate([topics.shares(_lists(text)) for text in texts])
    np.testing.assert_array_equal(topics.shares(_lists(*texts)), alone)
    np.testing.assert_array_equal(topics.shares(_lists(*reversed(texts)))[::-1], alone)


def test_topics_are_read_back(topics: Topics, tmp_path: Path) -> None:
    read = Topics.load(saved(topics, tmp_path))
    np.testing.assert_array_equal(read.shares(_lists(*_TEXTS)), topics.shares(_lists(*_TEXTS)))


@pytest.mark.parametrize("texts", [[], [[]], [["rice"]]])
def test_too_few_texts_teach_nothing(texts: list[list[str]], tmp_path: Path) -> None:
    topics = Topics.load(saved(Topics.of_texts(_lists(*texts)), tmp_path))
    assert topics.vocabulary == []
    assert np.isnan(topics.shares(_lists(["rice"]))).all()
