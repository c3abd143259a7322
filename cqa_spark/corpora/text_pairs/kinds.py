"""The kinds of pairs: sentences that are more or less similar, and questions that are duplicates or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cqa_spark.corpora.text_pairs.layout import QUESTIONS_WITHOUT_HEADER, SENTENCES_WITHOUT_HEADER, Layout
from cqa_spark.corpora.text_pairs.notices import without_notices
from cqa_spark.corpora.text_pairs.scales import DUPLICATE, EQUIVALENT, RELATEDNESS, SIMILARITY, Scale


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
    without_header: Sequence[Layout]
    scales: Sequence[Scale]
    label: Callable[[float], str] = str
    cleaned: Callable[[str, str], tuple[str, str]] = lambda one, other: (one, other)


def _duplicate_label(similarity: float) -> str:
    """The label of subtask B."""
    return "PerfectMatch" if similarity == EQUIVALENT else "Irrelevant"


SENTENCE_PAIRS = PairKind("sentence", SENTENCES_WITHOUT_HEADER, (SIMILARITY, RELATEDNESS, DUPLICATE))
QUESTION_PAIRS = PairKind("question", QUESTIONS_WITHOUT_HEADER, (DUPLICATE,), _duplicate_label, without_notices)
