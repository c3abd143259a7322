"""Measures of machine translation on literal texts."""

from math import exp, log

import pytest

from cqa_spark.text.translation_measures import compare_translation


def test_a_text_that_equals_its_reference() -> None:
    words = ["where", "is", "the", "old", "souq"]
    found = compare_translation(words, words)
    assert list(found.values())[:6] == pytest.approx([1] * 6)
    # METEOR's penalty for one chunk of five words: 0.5 (1 / 5)^3.
    assert found["meteor"] == pytest.approx(1 - 0.5 / 125)
    assert found["edits"] == 0


def test_shared_words_and_pairs() -> None:
    found = compare_translation(["visa", "costs", "two", "rials"], ["visa", "costs", "nothing"])
    assert (found["precision_1"], found["precision_2"]) == pytest.approx((2 / 3, 1 / 2))
    assert found["brevity"] == pytest.approx(exp(1 - 4 / 3))
    assert found["edits"] == 2 / 4
    # Precision 2/3 and recall 1/2 weighted 9 to 1, one chunk of two matches.
    mean = (2 / 3) * (1 / 2) / (0.9 * 2 / 3 + 0.1 * 1 / 2)
    assert found["meteor"] == pytest.approx(mean * (1 - 0.5 * (1 / 2) ** 3))


def test_nist_weighs_words_by_their_information() -> None:
    # A word that is one of four of the reference tells two bits. The penalty of a short text is 1/2 at two thirds of
    # the reference's length.
    found = compare_translation(["visa", "costs", "two", "rials"], ["visa"])
    assert found["nist"] == pytest.approx(2 * exp(log(1 / 2) * (log(1 / 4) / log(2 / 3)) ** 2))


def test_nothing_shared() -> None:
    found = compare_translation(["visa"], ["fish"])
    assert (found["nist"], found["meteor"], found["edits"]) == (0, 0, 1)
    assert found["bleu"] == 0
