"""The kinds of pairs: sentences that are more or less similar, and questions that are duplicates or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from cqa_spark.corpora.text_pairs.layout import QUESTIONS_WITHOUT_HEADER, SENTENCES_WITHOUT_HEADER, ColumnLayout
from cqa_spark.corpora.text_pairs.scales import DUPLICATE, EQUIVALENT, RELATEDNESS, SIMILARITY, Scale

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


@dataclass(frozen=True)
class PairKind:
    """What the texts of a file are.

    Attributes:
        post_type: post type of the texts.
        without_header: layouts of files without a header.
        scales: scales of the labels.
        label: the task's label for a similarity.
        cleaned: the texts of a pair without what gives the label away.
    """

    post_type: str
    without_header: Sequence[ColumnLayout]
    scales: Sequence[Scale]
    label: Callable[[float], str] = str
    cleaned: Callable[[str, str], tuple[str, str]] = lambda one, other: (one, other)


def _duplicate_label(similarity: float) -> str:
    """The label of subtask B."""
    return "PerfectMatch" if similarity == EQUIVALENT else "Irrelevant"


SENTENCE_PAIRS = PairKind("sentence", SENTENCES_WITHOUT_HEADER, (SIMILARITY, RELATEDNESS, DUPLICATE))
QUESTION_PAIRS = PairKind("question", QUESTIONS_WITHOUT_HEADER, (DUPLICATE,), _duplicate_label, without_notices)
