"""The kinds of pairs: sentences that are more or less similar, and questions that are duplicates or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cqa_spark.corpora.text_pairs.layout import Layout, layout_of_questions, layout_of_sentences
from cqa_spark.corpora.text_pairs.notices import without_notices

STS = "sts"
"""The task of pairs of sentences."""

QUESTION_QUESTION = "question_question"
"""The task of pairs of questions."""


@dataclass(frozen=True)
class PairKind:
    """What the texts of a file are.

    Attributes:
        task: task of the judgments.
        post_type: post type of the texts.
        layout: detects the layout of a file by its first line.
        cleaned: the texts of a pair without what gives the label away.
    """

    task: str
    post_type: str
    layout: Callable[[str], Layout]
    cleaned: Callable[[str, str], tuple[str, str]] = lambda one, other: (one, other)


SENTENCE_PAIRS = PairKind(STS, "sentence", layout_of_sentences)
QUESTION_PAIRS = PairKind(QUESTION_QUESTION, "question", layout_of_questions, without_notices)
