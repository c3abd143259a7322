"""Scripts and languages: Arabic spelling and stems, terms of scripts without spaces, and the languages of texts.

Scripts that put no spaces between words have pairs of adjacent characters as terms: a run of Han, Hiragana, Katakana,
Thai, Lao, Khmer or Myanmar characters becomes its overlapping pairs, and a single character stays alone; combining
marks belong to their character. Pairs need no dictionary, and find as much as words do (Nie, Gao, Zhang and Zhou 2000,
On the use of words and n-grams for Chinese information retrieval). Half-width and decomposed kana are spelled as the
usual ones first. Everything else is unchanged, also within a mixed text.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

LETTERS = r"[\x{0620}-\x{064A}]"

_SPELLED, _AS = "أإآٱىؤئة", "اااايويه"
_DROPPED = "".join(map(chr, range(0x064B, 0x0653))) + "\u0670\u0640"
"""Diacritics, and tatweel, which only stretches words."""

# Light10, for words with normalised spelling.
_CONJUNCTION = r"^و(?=...)"
_ARTICLES = r"^(?:وال|بال|كال|فال|ال|لل)(?=..)"
_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
_STEPS = (_CONJUNCTION, _ARTICLES, *[rf"(?<=..){suffix}$" for suffix in _SUFFIXES])
_ARABIC_LETTER = re.compile("[\u0620-\u064a]")


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
    return reduce(lambda stem, step: F.regexp_replace(stem, step, ""), _STEPS, word)


def arabic_stem(stem: str) -> str:
    """``light_stem`` for a string, if it has Arabic letters."""
    if has_arabic_letters(stem):
        for step in _STEPS:
            stem = re.sub(step, "", stem)
    return stem


def has_arabic_letters(text: str) -> bool:
    """Whether a text has an Arabic letter."""
    return _ARABIC_LETTER.search(text) is not None


def stem_arabic(stems: Column, text: Column) -> Column:
    """Stem the Arabic words of a text.

    Args:
        stems: array of the text's words, stemmed for other languages.
        text: the text; without Arabic letters, the array is unchanged.
    """
    stemmed = F.transform(stems, lambda word: F.when(word.rlike(LETTERS), light_stem(word)).otherwise(word))
    return F.when(text.rlike(LETTERS), stemmed).otherwise(stems)


# The same patterns serve Python and Java, so the characters are listed: the engines differ in the scripts they name,
# and in the versions of Unicode.

_LETTERS = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003fffd"  # Han, all extensions
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b16f\uff66-\uff9d"  # kana
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd\u0ec0-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1780-\u17b3\u17d7\u17dc"  # Khmer
    "\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e"  # Myanmar
    "\ua9e0-\ua9e4\ua9e6-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a\uaa7e\uaa7f"  # Myanmar, extended
)
_MARKS = (
    "\u0300-\u036f\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\uff9e\uff9f\U000e0100-\U000e01ef"  # of many, kana
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"  # Thai, Lao
    "\u17b4-\u17d3\u17dd"  # Khmer
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\ua9e5\uaa7b-\uaa7d"  # Myanmar, extended
)
_CHARACTER = f"[{_LETTERS}][{_MARKS}]*+"

LETTER = f"[{_LETTERS}]"
"""A pattern; texts without a match are unchanged."""

TERM = f"(?:{_CHARACTER}){{1,2}}+"
"""A pattern of the pairs and single characters, once they stand between blanks."""

RUN = f"(?:{_CHARACTER})++"
# The last character of a run is in the last pair, so it makes none itself.
PAIR = f"({_CHARACTER})(?=({_CHARACTER}))(?:{_CHARACTER}(?!{_CHARACTER}))?+"

_HALF_WIDTH = "".join(map(chr, range(0xFF66, 0xFFA0)))
_FULL_WIDTH = unicodedata.normalize("NFKC", _HALF_WIDTH)
_DECOMPOSED = {
    unicodedata.normalize("NFD", kana): kana
    for kana in map(chr, range(0x3041, 0x30FF))
    if unicodedata.normalize("NFD", kana) != kana
}
_WIDENED = str.maketrans(_HALF_WIDTH, _FULL_WIDTH)


def spaced(text: Column) -> Column:
    """The text with its runs in scripts without spaces as pairs between blanks, by a native expression."""
    wide = F.translate(text, _HALF_WIDTH, _FULL_WIDTH)
    composed = reduce(lambda text_so_far, kana: F.replace(text_so_far, *map(F.lit, kana)), _DECOMPOSED.items(), wide)
    between_blanks = F.regexp_replace(composed, RUN, " $0 ")
    return F.when(F.rlike(text, F.lit(LETTER)), F.regexp_replace(between_blanks, PAIR, "$1$2 ")).otherwise(text)


def spaced_text(text: str) -> str:
    """``spaced`` for a string."""
    if not re.search(LETTER, text):
        return text
    composed = reduce(
        lambda text_so_far, kana: text_so_far.replace(*kana), _DECOMPOSED.items(), text.translate(_WIDENED)
    )
    return re.sub(PAIR, r"\1\2 ", re.sub(RUN, r" \g<0> ", composed))


def spaced_texts(texts: pa.Array) -> pa.Array:
    """``spaced`` for an array of strings.

    Args:
        texts: strings, none of them null.
    """
    with_runs = pc.match_substring_regex(texts, LETTER)
    changed = pa.array([spaced_text(text) for text in texts.filter(with_runs).to_pylist()], texts.type)
    return pc.replace_with_mask(texts, with_runs, changed)


ARABIC, ENGLISH, OTHER = "ar", "en", "other"
"""The languages that the analysis and the encoders of texts distinguish."""

LEAST_WORDS = 6
"""Shorter texts are left out: many of them have no stop word in any language."""

SAMPLE = 20_000
"""Approximate number of documents of which the language is determined."""

_PARTS = 1_000_000


def language() -> Column:
    """The language of a row of ``texts``: Arabic if it has Arabic letters, English if it has English stop words."""
    return (
        F.when(F.col("clean").rlike(LETTERS), ARABIC)
        .when(F.size("content_words") < F.size("words"), ENGLISH)
        .otherwise(OTHER)
    )


def language_shares(documents: DataFrame, texts: DataFrame, rows: int) -> dict[str, dict[str, float]]:
    """The share of each language in the texts of at least ``LEAST_WORDS`` words, by split.

    Args:
        documents: the table ``documents``.
        texts: the table ``texts``.
        rows: rows of ``documents``; of more than ``SAMPLE``, a sample by text is drawn.
    """
    is_drawn = F.pmod(F.xxhash64("text_id"), F.lit(_PARTS)) < _PARTS * SAMPLE / max(rows, SAMPLE)
    classified = (
        texts.where(F.size("words") >= LEAST_WORDS).where(is_drawn).select("text_id", language().alias("language"))
    )
    drawn = documents.where(is_drawn).select("split", "text_id").join(classified, on="text_id", how="inner")
    counts: Mapping[str, dict[str, int]] = defaultdict(dict)
    for row in drawn.groupBy("split", "language").count().collect():
        counts[row["split"]][row["language"]] = row["count"]
    return {
        split: {name: count / sum(languages.values()) for name, count in languages.items()}
        for split, languages in counts.items()
    }
