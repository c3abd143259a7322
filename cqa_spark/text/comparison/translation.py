"""Measures of machine translation between a text, as the translation, and another text, as the reference."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score
from nltk.translate.nist_score import sentence_nist
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics import BLEU

_LONGEST = 4
"""Maximum length of n-grams."""


class TranslationMeasures(NamedTuple):
    """Quality of a text as a translation of the reference; higher is better, except for ``edits``.

    Attributes:
        bleu: geometric mean of the n-gram precisions, smoothed exponentially, times the brevity penalty.
        precision_1: share of the text's words that occur in the reference.
        precision_2: the same for bigrams.
        precision_3: the same for trigrams.
        precision_4: the same for four-grams.
        brevity: BLEU's brevity penalty; 1 for none.
        nist: n-gram precision weighted by information, in bits; unbounded.
        meteor: weighted harmonic mean of precision and recall of words and stems, with a penalty for fragmentation.
        edits: insertions, deletions and replacements of words / words of the reference (TER without shifts).
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
    """Compute the measures of a text.

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
    """Porter's stemmer, with a cache."""

    stem = staticmethod(lru_cache(maxsize=100_000)(PorterStemmer().stem))


class _NoSynonyms:
    """Replaces WordNet, which is not installed with NLTK."""

    def synsets(self, word: str) -> list[object]:
        """None."""
        return []
