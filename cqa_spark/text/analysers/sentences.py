"""Where sentences end: at line breaks, full stops, semicolons, question and exclamation marks that end something.

The rules are those of the Pragmatic Segmenter for English (Dias 2014, github.com/diasks2/pragmatic_segmenter) as Spark
NLP applies them. Marks of the text that end no sentence are replaced by signs, breaks are inserted after all others,
and a break between the signs ``_OPEN`` and ``_CLOSE``, as in a quotation, does not count.

Every pattern takes linear time, also for texts of megabytes.
"""

import re
from collections.abc import Sequence
from itertools import groupby

_BREAK, _OPEN, _CLOSE = "\uf050", "\uf056", "\uf057"
_DOT, _SEMICOLON = "\uf051", "\uf053"
_ELLIPSIS, _OF_ABBREVIATION, _OF_NUMBER, _WITHIN_WORD = "\u2566", "\u255e", "\u255f", "\u2554"
_QUOTED_QUESTION, _WITHIN_EXCLAMATION = "\u2564", "\u2565"

_MARKS = str.maketrans({
    _DOT: ".", _OF_ABBREVIATION: ".", _OF_NUMBER: ".", _WITHIN_WORD: ".", _ELLIPSIS: "...", _SEMICOLON: ";",
    _QUOTED_QUESTION: "?", "\uf054": "?", _WITHIN_EXCLAMATION: "!", "\uf055": "!",
    _OPEN: None, _CLOSE: None, _BREAK: None,
})  # fmt: skip
"""What the signs stand for; a text that contains them itself gets these marks, too."""

_BLANKS = "".join(map(chr, range(ord(" ") + 1)))

_ABBREVIATIONS = (
    "adj", "bros", "btw", "co", "col", "corp", "cpl", "dec", "aug", "del", "dept", "dist", "dr", "e.g", "etc", "exp",
    "feb", "fy", "hr", "i.e", "id", "inc", "jan", "jr", "jul", "jun", "lt", "ltd", "mar", "may", "min", "mr", "mrs",
    "ms", "no", "nov", "oct", "ok", "p", "px", "plz", "prof", "rep", "sec", "sep", "sept", "sr", "st", "u.s", "ver",
    "vs",
)  # fmt: skip
_BEFORE_NAMES = ("dr", "mr", "ms", "prof", "mt", "st")
_BEFORE_NUMBERS = ("no", "p", "px")


def _pattern(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern in which ``\w``, ``\s`` and ``\d`` match ASCII characters only."""
    return re.compile(pattern, re.ASCII)


def _stop_after(words: Sequence[str], following: str, following_first: str | None = None) -> re.Pattern[str]:
    """A full stop after one of some words, in any case, and before something.

    Args:
        words: the words, each after a blank or at the start of the text.
        following: pattern of what follows the full stop.
        following_first: the same, for the first word of the text.
    """
    # Python looks back over a fixed number of characters.
    by_length = ["|".join(same) for _, same in groupby(sorted(words, key=len), key=len)]
    after, first = ("|".join(f"(?<={start}(?i:{same}))" for same in by_length) for start in (r"\s", "^"))
    return _pattern(rf"(?:{after})\.(?={following})|(?:{first})\.(?={following_first or following})")


_LIST_ITEMS = (
    _pattern(r"\([a-z]+\)|^[a-z]+\)"),
    _pattern(
        r"\s\d{1,2}\.\s|^\d{1,2}\.\s|\s\d{1,2}\.\)|^\d{1,2}\.\)|\s-\d{1,2}\.\s|^-\d{1,2}\.\s|s-\d{1,2}\.\)|^-\d{1,2}.\)"
    ),
)
# e.g., U.S., p.m., a.m. No letter or digit of any script precedes.
_WITH_STOPS = (
    _pattern(r"(?<!(?u:\w))[a-zA-Z](?:\.[a-zA-Z])+(?:\.(?!\s[A-Z]))*"),
    _pattern(r"(?i)p\.m\.*"),
    _pattern(r"(?i)a\.m\.*"),
)
_SENTENCE_GOES_ON = r"\s(?:[a-z]|I\s|I'm|I'll|\d)"
_STOPS_OF_ABBREVIATIONS = (
    _pattern(r"\.(?='s\s)|\.(?='s\$)|\.(?='s\Z)"),
    _pattern(r"(?<=Co)\.(?=\sKG)"),
    _pattern(r"(?<=^[A-Z])\.(?=\s)"),
    _pattern(r"(?<=\s[A-Z])\.(?=\s)"),
    _stop_after(_BEFORE_NAMES, r"\s"),
    _stop_after(_BEFORE_NAMES, r":\d"),
    _stop_after(_BEFORE_NUMBERS, r"\s\d"),
    _stop_after(_BEFORE_NUMBERS, r"\s+\("),
    _stop_after(_ABBREVIATIONS, rf"[.:?-]|{_SENTENCE_GOES_ON}", rf"[.:?]|{_SENTENCE_GOES_ON}"),
    _stop_after(_ABBREVIATIONS, ","),
)
_STOPS_OF_NUMBERS = (
    _pattern(r"\.(?=\d)"),
    _pattern(r"(?<=\d)\.(?=\S)"),
    _pattern(r"(?<=^\d)\.(?=\s\S|\))"),
    _pattern(r"(?<=^\d\d)\.(?=\s\S|\))"),
)
_STOPS_WITHIN_WORDS = (_pattern(r"(?<=\w)\.(?=\w)"), _pattern(r"(?<=[A-z]°)\.(?=\s*\d)"))
_ELLIPSES = (_pattern(r"\.\.\.(?=\s+[A-Z])"), _pattern(r"(?<=\S)\.{3}(?=\.\s[A-Z])"))
_FINAL_MARKS = _pattern(r"(?<=\S)[!?]+(?=\s|\Z|\$)")
_MARKS_WITHIN_SENTENCES = (_pattern(r"!(?=['\"])"), _pattern(r"!(?=,\s[a-z])"), _pattern(r"!(?=\s[a-z])"))
_QUESTION_BEFORE_QUOTE = _pattern(r"\?(?=['\"])")

_RUN_WITH_QUOTES = _pattern(r"[\w\s?!.,|']+")
_OPENING_QUOTE = _pattern(r"(?:(?<=\s)|^)'")
_CLOSING_QUOTE = _pattern(r"'(?=\W)")
_ENCLOSED = (_pattern(r'"[\w\s?!.,]+"'), _pattern(r"\[[\w\s?!.,]+\]"), _pattern(r"\([\w\s?!.,]+\)"))


def sentences(text: str) -> list[str]:
    """The sentences of a cleaned text, in order.

    >>> sentences("Mr. Smith pays 3.50 for it, i.e. little. (Is it true?) He said so.")
    ['Mr. Smith pays 3.50 for it, i.e. little.', '(Is it true?) He said so.']
    """
    signs = text.replace("\n", _BREAK)
    for pattern in _LIST_ITEMS:
        signs = pattern.sub(rf"{_BREAK}{_OPEN}\g<0>{_CLOSE}", signs)
    if "." in signs:
        for pattern in _WITH_STOPS:
            signs = pattern.sub(rf"{_OPEN}\g<0>{_CLOSE}", signs)
        for pattern in _STOPS_OF_ABBREVIATIONS:
            signs = pattern.sub(_OF_ABBREVIATION, signs)
        for pattern in _STOPS_OF_NUMBERS:
            signs = pattern.sub(_OF_NUMBER, signs)
    signs = _FINAL_MARKS.sub(rf"\g<0>{_BREAK}", signs)
    if "." in signs:
        for pattern in _STOPS_WITHIN_WORDS:
            signs = pattern.sub(_WITHIN_WORD, signs)
        for pattern in _ELLIPSES:
            signs = pattern.sub(_ELLIPSIS + _BREAK, signs)
    signs = _enclosed_in_quotes(signs)
    for pattern in _ENCLOSED:
        signs = pattern.sub(rf"{_OPEN}\g<0>{_CLOSE}", signs)
    signs = _QUESTION_BEFORE_QUOTE.sub(_QUOTED_QUESTION, signs)
    for pattern in _MARKS_WITHIN_SENTENCES if "!" in signs else ():
        signs = pattern.sub(_WITHIN_EXCLAMATION, signs)
    signs = signs.replace(".", _DOT + _BREAK).replace(";", _SEMICOLON + _BREAK)
    parts = (part.translate(_MARKS).strip(_BLANKS) for part in _parts(signs))
    return [part for part in parts if part]


def _enclosed_in_quotes(signs: str) -> str:
    """Enclose what stands in single quotes: from the first opening quote of a run to its last closing one."""
    if "'" not in signs:
        return signs
    pieces, done = [], 0
    for run in _RUN_WITH_QUOTES.finditer(signs):
        # The pattern sees one character before and after the run.
        opening = _OPENING_QUOTE.search(signs, run.start(), run.end())
        closing = [quote.start() for quote in _CLOSING_QUOTE.finditer(signs, run.start(), run.end() + 1)]
        if opening and closing and closing[-1] > opening.start() + 1:
            end = closing[-1] + 2  # with the character after it
            pieces += [signs[done : opening.start()], _OPEN, signs[opening.start() : end], _CLOSE]
            done = end
    return "".join([*pieces, signs[done:]])


def _parts(signs: str) -> list[str]:
    """The text between the breaks that count: the next of ``_OPEN`` and ``_CLOSE`` after them is not ``_CLOSE``."""
    pieces = signs.split(_BREAK)
    if _CLOSE not in signs:
        return pieces
    parts = [[pieces[-1]]]  # the pieces of every part, both from the last to the first
    following = _first_sign(pieces[-1])
    for piece in reversed(pieces[:-1]):
        if following == _CLOSE:
            parts[-1].append(piece)
        else:
            parts.append([piece])
        following = _first_sign(piece) or following
    return ["".join(reversed(part)) for part in reversed(parts)]


def _first_sign(piece: str) -> str:
    """The first of ``_OPEN`` and ``_CLOSE``; empty if there is none."""
    found = [(position, sign) for sign in (_OPEN, _CLOSE) if (position := piece.find(sign)) >= 0]
    return min(found)[1] if found else ""
