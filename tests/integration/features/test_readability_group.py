"""Reading ease, spelling and sentiment."""

from __future__ import annotations

from math import log

import pytest
from literal_community import Said, Thread, community_of
from pyspark.sql import SparkSession

from cqa_spark.features.featurize import fit_and_compute
from cqa_spark.features.groups.text.readability import ReadabilityV1

_TRAIN = ["Nice cats run", "cats run", "cats"]
_DEV = ["cats pls", "i am SOOO happily GONE", "smiletoken", ""]


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, dict[str, float]]:
    """The features of each text."""
    threads = {"Q1": ("train", _TRAIN), "Q2": ("dev", _DEV)}
    inputs = community_of(
        spark,
        [Thread(name, "U9", [Said("U7", text) for text in said], split) for name, (split, said) in threads.items()],
    )
    _, values = fit_and_compute(ReadabilityV1, inputs, folds=2)
    found = {row["candidate_id"]: row.asDict() for row in values.collect()}
    return {
        text: found[f"{name}_C{place}"] for name, (_, said) in threads.items() for place, text in enumerate(said, 1)
    }


def test_reading_ease(rows) -> None:
    found = rows["Nice cats run"]
    assert found["ari"] == pytest.approx(4.71 * 11 / 3 + 0.5 * 3 - 21.43)
    assert found["coleman_liau"] == pytest.approx(5.88 * 11 / 3 - 29.6 / 3 - 15.8)
    assert found["longest_sentence"] == pytest.approx(log(14))
    assert rows["i am SOOO happily GONE"]["long_words"] == pytest.approx(1 / 5)
    assert rows["i am SOOO happily GONE"]["short_words"] == pytest.approx(2 / 5)


def test_a_word_is_rare_where_few_other_texts_hold_it(rows) -> None:
    found = rows["Nice cats run"]
    assert (found["rare_words"], found["unknown_words"]) == pytest.approx((1.0, 1 / 3))
    assert found["mean_log_held_by"] == pytest.approx((log(2) + log(3)) / 3)
    unseen = rows["cats pls"]
    assert (unseen["rare_words"], unseen["unknown_words"], unseen["chat_spelling"]) == (0.5, 0.5, 0.5)


def test_spelling(rows) -> None:
    found = rows["i am SOOO happily GONE"]
    assert found["stretched_words"] == pytest.approx(log(2))
    assert (found["i_small"], found["small_starts"]) == (1.0, 1.0)
    assert found["shouted_share"] == pytest.approx(8 / 22)
    assert rows["Nice cats run"]["small_starts"] == 0.0


def test_sentiment(rows) -> None:
    nice = rows["Nice cats run"]
    assert nice["sentiment"] == pytest.approx(1.8 / (1.8**2 + 15) ** 0.5, abs=1e-4)
    assert nice["positive_share"] == pytest.approx(2.8 / 4.8, abs=1e-3)
    assert nice["negative_share"] == 0.0
    assert rows["smiletoken"]["sentiment"] > 0.4


def test_an_empty_text_has_a_value_everywhere(rows) -> None:
    assert None not in rows[""].values()
