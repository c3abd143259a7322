"""The column layouts of files of pairs."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

EQUIVALENT = 5.0
"""The largest similarity; the least is 0."""


class UnreadablePair(Exception):
    """A record that is not a pair; the message goes to the quarantine."""


@dataclass(frozen=True)
class Scale:
    """The labels of a layout.

    Attributes:
        low: the score of unrelated texts.
        high: the score of equivalent texts.
        classes: similarities of labels that are classes instead of scores, in lower case.
    """

    low: float = 0
    high: float = EQUIVALENT
    classes: Mapping[str, float] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """The labels, for messages."""
        return ", ".join(self.classes) if self.classes else f"a number from {self.low:g} to {self.high:g}"

    def similarity(self, label: str) -> float | None:
        """The similarity that a label stands for: scores are mapped linearly; None for an empty label.

        Raises:
            UnreadablePair: the label is not of the scale.
        """
        text = label.strip().lower()
        if not text:
            return None
        if self.classes:
            if text not in self.classes:
                raise UnreadablePair(f"the label is {label!r}; known labels: {self.about}")
            return self.classes[text]
        try:
            score = float(text)
        except ValueError:
            score = float("nan")
        if not self.low <= score <= self.high:
            raise UnreadablePair(f"the score is {label!r}, not {self.about}")
        return (score - self.low) * (EQUIVALENT / (self.high - self.low))

    def has(self, label: str) -> bool:
        """Whether a label is of the scale or empty."""
        try:
            self.similarity(label)
        except UnreadablePair:
            return False
        return True


SIMILARITY = Scale()
"""Scores of the STS tasks (Agirre et al. 2012)."""

RELATEDNESS = Scale(1, 5)
"""Scores of SICK (Marelli et al. 2014)."""

DUPLICATE = Scale(
    classes=dict.fromkeys(("duplicate", "true", "1"), EQUIVALENT) | dict.fromkeys(("non-duplicate", "false", "0"), 0.0)
)
"""Whether the texts mean the same."""


@dataclass(frozen=True)
class ColumnLayout:
    """Columns that occur together.

    Attributes:
        name: the data set or task that introduced them.
        columns: their names; in files without a header, in the order of the columns.
        texts: the two columns of texts.
        label: the column of labels; None if there is none.
        scale: the labels.
        start: how the first line of a file without a header begins.
        notes: largest number of columns without names that may follow, such as sources and licences.
    """

    name: str
    columns: tuple[str, ...]
    texts: tuple[str, str]
    label: str | None = None
    scale: Scale = SIMILARITY
    start: str = ""
    notes: int = 0

    @property
    def about(self) -> str:
        """The columns, for messages."""
        return "<TAB>".join(self.columns)


SENTENCES = ("sentence1", "sentence2")
QUESTIONS = ("question1", "question2")

WITH_HEADER = (
    ColumnLayout(
        "STS Benchmark of GLUE",
        ("index", "genre", "filename", "year", "old_index", "source1", "source2", *SENTENCES, "score"),
        SENTENCES,
        "score",
        SIMILARITY,
    ),
    ColumnLayout(
        "SICK",
        (
            "pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment", "entailment_label",
            "entailment_AB", "entailment_BA", "sentence_A_original", "sentence_B_original", "sentence_A_dataset",
            "sentence_B_dataset", "SemEval_set",
        ),
        ("sentence_A", "sentence_B"),
        "relatedness_score",
        RELATEDNESS,
    ),
    ColumnLayout(
        "MSRP",
        ("Quality", "index", "#1 ID", "#2 ID", "#1 String", "#2 String"),
        ("#1 String", "#2 String"),
        "Quality",
        DUPLICATE,
    ),
    ColumnLayout(
        "Quora",
        ("id", "test_id", "qid1", "qid2", *QUESTIONS, "is_duplicate"),
        QUESTIONS,
        "is_duplicate",
        DUPLICATE,
    ),
    ColumnLayout("PAWS", ("id", *SENTENCES, "label"), SENTENCES, "label", DUPLICATE),
)  # fmt: skip
"""Layouts whose first line names the columns, in any order. All but the texts may be absent."""

SENTENCES_WITHOUT_HEADER = (
    ColumnLayout(
        "STS Benchmark",
        ("genre", "file", "year", "id", "score", "sentence", "sentence"),
        SENTENCES,
        "score",
        start="main-",
        notes=2,
    ),
    ColumnLayout("scored sentences", ("score", "sentence", "sentence"), SENTENCES, "score"),
    ColumnLayout("STS input", ("sentence", "sentence"), SENTENCES, notes=2),
)
"""Files of the STS tasks: without a header, their texts at the end."""

QUESTIONS_WITHOUT_HEADER = (
    ColumnLayout("labelled questions", ("label", "question", "question"), QUESTIONS, "label", DUPLICATE),
    ColumnLayout("questions", ("question", "question"), QUESTIONS, scale=DUPLICATE),
)
"""Pairs of questions, as Bogdanova et al. (2015) used them."""


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
