"""Arabic spelling and light stemming as native expressions; other letters are unchanged."""

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

LETTERS = r"[\x{0620}-\x{064A}]"

_SPELLED, _AS = "أإآٱىؤئة", "اااايويه"
_DROPPED = "".join(map(chr, range(0x064B, 0x0653))) + "\u0670\u0640"
"""Diacritics, and tatweel, which only stretches words."""

# Light10, for words with normalised spelling.
_CONJUNCTION = r"^و(?=...)"
_ARTICLES = r"^(?:وال|بال|كال|فال|ال|لل)(?=..)"
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")


def spell_alike(text: Column) -> Column:
    """Normalise the forms of alef, yeh, hamza and teh marbuta, and remove diacritics and tatweel.

    These are the normalisations of Larkey et al. (2007, Light stemming for Arabic information retrieval, section 3.1),
    and hamza on a carrier is replaced by the carrier.
    """
    return F.translate(text, _SPELLED + _DROPPED, _AS)


def light_stem(word: Column) -> Column:
    """Strip the conjunction, the article and frequent suffixes (light10 of Larkey et al. 2007, section 3.2).

    At least two letters remain. The input must be normalised by ``spell_alike``.
    """
    steps = (_CONJUNCTION, _ARTICLES, *[rf"(?<=..){suffix}$" for suffix in _SUFFIXES])
    return reduce(lambda stem, step: F.regexp_replace(stem, step, ""), steps, word)


def stem_arabic(stems: Column, text: Column) -> Column:
    """Stem the Arabic words of a text.

    Args:
        stems: array of the text's words, stemmed for other languages.
        text: the text; without Arabic letters, the array is unchanged.
    """
    stemmed = F.transform(stems, lambda word: F.when(word.rlike(LETTERS), light_stem(word)).otherwise(word))
    return F.when(text.rlike(LETTERS), stemmed).otherwise(stems)
