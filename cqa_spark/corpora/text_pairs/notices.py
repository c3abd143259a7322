"""Removes notices of duplicates from pairs of questions in plain text: they give the label away."""

from __future__ import annotations

import re
from itertools import takewhile

LEAST_WORDS = 3
"""Number of words at the start of a question from which its copy after a notice is taken for the title."""

_NOTICE = re.compile(r"\bpossible duplicates?\b:?", re.IGNORECASE)


def without_notices(one: str, other: str) -> tuple[str, str]:
    """Remove the words "possible duplicate" from both questions, and what follows if the other question starts so.

    Stack Exchange put this notice, with the title of the earlier question, above the body of a closed question. Text
    without markup does not show where the title ends, so the longest common start is removed.

    Args:
        one: first question.
        other: second question.
    """
    return _without(one, other), _without(other, one)


def _without(question: str, other: str) -> str:
    first, *parts = _NOTICE.split(question)
    return " ".join(filter(None, (part.strip() for part in (first, *(_after_title(part, other) for part in parts)))))


def _after_title(text: str, other: str) -> str:
    words = text.split()
    pairs = zip(words, other.split(), strict=False)
    shared = len(list(takewhile(lambda pair: pair[0].casefold() == pair[1].casefold(), pairs)))
    return " ".join(words[shared:]) if shared >= LEAST_WORDS else text
