"""Reading ease, spelling and sentiment."""

from math import log

import pytest
from literal_batches import batch_of, values
from literal_threads import Said, Thread

from cqa_spark.features.groups.quality.readability import ReadabilityV2
from cqa_spark.text.terms import Collection

_TEXTS = ["Nice cats run", "cats pls", "i am SOOO happily GONE", "smiletoken", ""]


def _rows(texts: list[str]) -> dict[str, dict[str, float | None]]:
    """The features of texts that are among three in which three hold cats, two run and one nice."""
    batch = batch_of([Thread(f"Q{number}", "U9", [Said("U7", text)]) for number, text in enumerate(texts)])
    found = values(ReadabilityV2(Collection({"cats": 3, "run": 2, "nice": 1}, 3, 6)), batch)
    return dict(zip(texts, found, strict=True))


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, float | None]]:
    return _rows(_TEXTS)


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
    assert (rows["cats pls"]["unknown_words"], rows["cats pls"]["chat_spelling"]) == (0.5, 0.5)


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
