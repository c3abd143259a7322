"""Measures of machine translation between a text, as the translation, and another text, as the reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import single_meteor_score
from nltk.translate.nist_score import sentence_nist
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics import BLEU

if TYPE_CHECKING:
    pass


_LONGEST = 4


"""Maximum length of n-grams."""


def compare_translation(reference: Sequence[str], text: Sequence[str]) -> dict[str, float]:
    """Measure the quality of a text as a translation of the reference, by name; lower is better for ``edits`` only.

    Args:
        reference: words of the reference, at least one.
        text: words of the text, at least one.
    """
    bleu = _BLEU.sentence_score(" ".join(text), [" ".join(reference)])
    return {
        "bleu": bleu.score / 100,
        **{f"precision_{length}": precision / 100 for length, precision in enumerate(bleu.precisions, start=1)},
        "brevity": bleu.bp,
        "nist": sentence_nist([list(reference)], list(text), min(_LONGEST, len(reference), len(text))),
        "meteor": single_meteor_score(list(reference), list(text), stemmer=_Stemmer(), wordnet=_NoSynonyms()),
        "edits": Levenshtein.distance(reference, text) / len(reference),
    }


_BLEU = BLEU(tokenize="none", effective_order=True, max_ngram_order=_LONGEST)


class _Stemmer:
    """Porter's stemmer, with a cache."""

    stem = staticmethod(lru_cache(maxsize=100_000)(PorterStemmer().stem))


class _NoSynonyms:
    """Replaces WordNet, which is not installed with NLTK."""

    def synsets(self, word: str) -> list[object]:
        """None."""
        return []
