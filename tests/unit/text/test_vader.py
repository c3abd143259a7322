"""Sentiment by VADER, with a short cut for sentences without sentiment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from cqa_spark.text.vader import polarity

ANALYZER = SentimentIntensityAnalyzer()
WORDS = [
    "good", "BAD", "Not", "no", "but", "kind", "of", "very", "least", "the", "beer", "Isn't", ":)", "=-D", "<3", "ΑΣ",
    "!!", "-",
]  # fmt: skip
AROUND = st.text(alphabet=".,!?'\"()-*_ \n\u00a0🙂💔é", max_size=3)


@given(st.lists(st.tuples(AROUND, st.sampled_from(WORDS) | st.text(max_size=4), AROUND), max_size=8))
def test_the_short_cut_gives_the_scores_of_the_library(parts: list[tuple[str, str, str]]) -> None:
    text = " ".join("".join(part) for part in parts)
    assert polarity(text) == ANALYZER.polarity_scores(text)


@pytest.mark.parametrize("text", ["Keep it in the fridge.", "kind of very", "(beer)", "-"])
def test_a_text_without_sentiment_is_neutral(text: str) -> None:
    assert polarity(text) == {"neg": 0.0, "neu": 1.0, "pos": 0.0, "compound": 0.0}


def test_a_text_without_words_has_no_shares() -> None:
    assert polarity(" \n") == {"neg": 0.0, "neu": 0.0, "pos": 0.0, "compound": 0.0}


def test_an_emoji_has_the_sentiment_of_its_description() -> None:
    assert polarity("beer 😠")["compound"] < 0 < polarity("beer 🙂")["compound"]
