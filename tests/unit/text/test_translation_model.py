"""Translation probabilities, compared with those of NLTK."""

from math import exp, log

import numpy as np
import pytest
from nltk.translate import AlignedSent, IBMModel1

from cqa_spark.text.translation_measures import compare_translation
from cqa_spark.text.translation_model import ROUNDS, TranslationModel, bags_of

WORDS = ["car", "cheap", "garage", "repair", "villa"]
ASKED = [["car", "repair"], ["cheap", "car"], ["villa"], ["car", "plane"]]
SAID = [["garage"], ["garage", "cheap"], ["cheap", "villa"], ["garage", "plane"]]


@pytest.fixture(scope="module")
def model() -> TranslationModel:
    return TranslationModel.learn(WORDS, ASKED, SAID)


def test_probabilities_are_those_of_nltk(model: TranslationModel) -> None:
    known = [[[word for word in text if word in WORDS] for text in side] for side in (ASKED, SAID)]
    pairs = [*zip(*known, strict=True), *zip(*known[::-1], strict=True)]
    theirs = IBMModel1([AlignedSent(said, asked) for asked, said in pairs], ROUNDS).translation_table
    names = [*WORDS, None]
    ours = {(names[int(source)], names[int(target)]): value for source, target, value in model.cells}
    assert ours == pytest.approx({pair: theirs[pair[1]][pair[0]] for pair in ours})
    assert sum(value for (source, _), value in ours.items() if source == "car") == pytest.approx(1, abs=0.01)


def test_the_likelihood_is_the_mean_log_probability_of_known_words(model: TranslationModel) -> None:
    probabilities = {(int(source), int(target)): value for source, target, value in model.cells}
    texts = [["car", "car"], ["car"], ["plane"], []]
    translations = [["garage", "plane", "garage", "cheap"], ["plane"], ["villa"], []]
    given = model.log_likelihoods(bags_of(WORDS, texts), bags_of(WORDS, translations))
    garage, cheap = ((2 * probabilities[0, place] + probabilities[5, place]) / 3 for place in (2, 1))
    assert given == pytest.approx(
        [(2 * log(garage) + log(cheap)) / 3, np.nan, log(probabilities[5, 4]), np.nan], nan_ok=True
    )


def test_without_pairs_nothing_is_likely(model: TranslationModel) -> None:
    nothing = TranslationModel.learn([], [], [])
    assert np.isnan(nothing.log_likelihoods(bags_of([], [["car"]]), bags_of([], [["car"]]))).all()


# Measures of machine translation on literal texts.


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
