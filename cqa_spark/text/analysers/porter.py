"""Porter's stemmer (1980, An algorithm for suffix stripping, Program 14(3)), with the deviations of Spark NLP's.

- In steps 2 to 4 the first suffix of the list whose condition holds is replaced; Porter takes the longest suffix, and
  changes nothing if its condition does not hold.
- Condition ``*o`` (consonant, vowel, consonant) excludes a middle w, x or y, where Porter excludes a last one.
- The ending ``eed`` is looked at after ``ed`` and ``ing``.

Any character but a, e, i, o, u and a y after a consonant is a consonant, as in the paper.
"""

from collections.abc import Sequence
from itertools import pairwise

_PLURALS = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))  # step 1a
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lower-case word.

    >>> [stem(word) for word in ("shops", "running", "happily", "relational", "agreed")]
    ['shop', 'run', 'happili', 'relat', 'agr']
    """
    for suffix, replacement in _PLURALS:
        if word.endswith(suffix):
            word = word.removesuffix(suffix) + replacement
            break
    word = _without_participle(word)
    if word.endswith("y") and not all(_consonants(word[:-1])):  # step 1c
        word = word[:-1] + "i"
    for suffixes in (_STEP_2, _STEP_3):
        for suffix, replacement in suffixes:
            if word.endswith(suffix) and _measure(_consonants(word.removesuffix(suffix))) > 0:
                word = word.removesuffix(suffix) + replacement
                break
    for suffix in _STEP_4:
        before = word.removesuffix(suffix)
        if len(before) < len(word) and _measure(_consonants(before)) > 1 and (suffix != "ion" or before[-1] in "st"):
            word = before
            break
    if word.endswith("e"):  # step 5a
        consonants = _consonants(word[:-1])
        measure = _measure(consonants)
        if measure > 1 or (measure == 1 and not _ends_in_short_syllable(word[:-1], consonants)):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(_consonants(word)) > 1 else word  # step 5b


def _without_participle(word: str) -> str:
    """Step 1b: without ``ed`` or ``ing`` after a vowel, and with the end of the verb restored."""
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and not all(_consonants(word.removesuffix(suffix))):
            verb = word.removesuffix(suffix)
            break
    else:
        is_eed = word.endswith("eed") and _measure(_consonants(word[:-3])) > 0
        return word[:-1] if is_eed else word
    if verb.endswith(("at", "bl", "iz")):
        return verb + "e"
    consonants = _consonants(verb)
    if len(verb) > 1 and verb[-1] == verb[-2] and consonants[-1] and verb[-1] not in "lsz":
        return verb[:-1]
    return verb + "e" if _measure(consonants) == 1 and _ends_in_short_syllable(verb, consonants) else verb


def _consonants(word: str) -> list[bool]:
    """Which characters of a word are consonants."""
    consonants: list[bool] = []
    for character in word:
        after_consonant = bool(consonants) and consonants[-1]
        consonants.append(character not in "aeiou" and not (character == "y" and after_consonant))
    return consonants


def _measure(consonants: Sequence[bool]) -> int:
    """Porter's m: the number of vowels that a consonant follows."""
    return sum(not here and following for here, following in pairwise(consonants))


def _ends_in_short_syllable(word: str, consonants: Sequence[bool]) -> bool:
    return len(word) > 2 and [*consonants[-3:]] == [True, False, True] and word[-2] not in "wxy"
