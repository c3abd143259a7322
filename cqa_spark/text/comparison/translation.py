"""Measures of machine translation, with a text in the place of the translation and another in that of its reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score
from nltk.translate.nist_score import sentence_nist
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics import BLEU

_LONGEST = 4
"""Words of the longest n-grams."""


class TranslationMeasures(NamedTuple):
    """How good a translation of the reference a text would be; 0 is worst, but for ``edits``.

    Attributes:
        bleu: geometric mean of the n-gram precisions, smoothed exponentially, times the brevity penalty.
        precision_1: share of the text's words that the reference has.
        precision_2: the same of pairs of words.
        precision_3: the same of runs of three words.
        precision_4: the same of runs of four words.
        brevity: BLEU's penalty of a text that is shorter than the reference; 1 for none.
        nist: n-gram precision weighted by how much an n-gram tells beyond its first words, in bits; without a bound.
        meteor: weighted harmonic mean of precision and recall of words and stems, less a penalty for other orders.
        edits: insertions, deletions and replacements of words over the words of the reference (TER without shifts).
    """

    bleu: float
    precision_1: float
    precision_2: float
    precision_3: float
    precision_4: float
    brevity: float
    nist: float
    meteor: float
    edits: float


def compare_translation(reference: Sequence[str], text: Sequence[str]) -> TranslationMeasures:
    """Measure a text.

    Args:
        reference: words of the reference, at least one.
        text: words of the text, at least one.
    """
    bleu = _BLEU.sentence_score(" ".join(text), [" ".join(reference)])
    one, two, three, four = (precision / 100 for precision in bleu.precisions)
    return TranslationMeasures(
        bleu=bleu.score / 100,
        precision_1=one,
        precision_2=two,
        precision_3=three,
        precision_4=four,
        brevity=bleu.bp,
        nist=sentence_nist([list(reference)], list(text), min(_LONGEST, len(reference), len(text))),
        meteor=single_meteor_score(list(reference), list(text), stemmer=_Stemmer(), wordnet=_NoSynonyms()),
        edits=Levenshtein.distance(reference, text) / len(reference),
    )


_BLEU = BLEU(tokenize="none", effective_order=True, max_ngram_order=_LONGEST)


class _Stemmer:
    """Porter's stemmer, once per word."""

    stem = staticmethod(lru_cache(maxsize=100_000)(PorterStemmer().stem))


class _NoSynonyms:
    """In the place of WordNet, which is not installed with NLTK."""

    def synsets(self, word: str) -> list[object]:
        """None."""
        return []
