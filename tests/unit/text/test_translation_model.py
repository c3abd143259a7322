"""Translation probabilities, compared with those of NLTK."""

from math import log

import numpy as np
import pytest
from nltk.translate import AlignedSent, IBMModel1

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
