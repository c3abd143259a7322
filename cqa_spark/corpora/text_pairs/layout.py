"""The column layouts of files of pairs: tab-separated, without header and quoting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SENTENCES = "sentence<TAB>sentence"
QUESTIONS = "question<TAB>question"


class UnreadablePair(Exception):
    """A line that is not a pair; the message goes to the quarantine."""


def parse_score(text: str) -> str | None:
    """A gold score; None if it is empty, which means that the pair has no official score.

    Raises:
        UnreadablePair: it is not a number from 0 to 5.
    """
    if not text.strip():
        return None
    if not _is_score(text):
        raise UnreadablePair(f"the score is {text!r}, not a number from 0 to 5")
    return str(float(text))


def parse_duplicate(text: str) -> str | None:
    """The label of subtask B for a pair of questions; None if it is empty.

    Raises:
        UnreadablePair: it is not the label of a duplicate or of another pair.
    """
    if not text.strip():
        return None
    if not _is_duplicate_label(text):
        raise UnreadablePair(f"the label is {text!r}; known labels: {', '.join(_DUPLICATE_LABELS)}")
    return _DUPLICATE_LABELS[text.strip().lower()]


@dataclass(frozen=True)
class Layout:
    """The positions of the columns.

    Attributes:
        name: name of the layout.
        about: the columns, for messages.
        width: minimum number of columns; further columns, such as licences, are ignored.
        label: index of the label; None in files without labels.
        texts: indices of the two texts.
        parse_label: reads a label; None without a label, ``UnreadablePair`` if it is not one.
    """

    name: str
    about: str
    width: int
    label: int | None
    texts: tuple[int, int]
    parse_label: Callable[[str], str | None]


INPUT = Layout("input", SENTENCES, 2, None, (0, 1), parse_score)
"""Official inputs of all years."""

SCORED = Layout("scored", f"score<TAB>{SENTENCES}", 3, 0, (1, 2), parse_score)
"""Scores and sentences in one file."""

BENCHMARK = Layout("benchmark", f"genre<TAB>file<TAB>year<TAB>id<TAB>score<TAB>{SENTENCES}", 7, 4, (5, 6), parse_score)
"""STS Benchmark."""

UNLABELLED = Layout("unlabelled", QUESTIONS, 2, None, (0, 1), parse_duplicate)
"""Pairs of questions."""

LABELLED = Layout("labelled", f"label<TAB>{QUESTIONS}", 3, 0, (1, 2), parse_duplicate)
"""Pairs of questions, and whether they are duplicates."""


def layout_of_sentences(line: str) -> Layout:
    """Detect the layout of a file of sentences by its first line.

    The first column of a scored file is a number or empty. Official inputs may have further columns, with the sources
    of the sentences.
    """
    columns = line.split("\t")
    if len(columns) >= BENCHMARK.width and columns[0].startswith("main-"):
        return BENCHMARK
    return SCORED if len(columns) >= SCORED.width and _is_score(columns[0]) else INPUT


def layout_of_questions(line: str) -> Layout:
    """Detect the layout of a file of questions by its first line: the first column of a labelled file is a label."""
    columns = line.split("\t")
    return LABELLED if len(columns) >= LABELLED.width and _is_duplicate_label(columns[0]) else UNLABELLED


_DUPLICATE_LABELS = {
    "duplicate": "PerfectMatch", "true": "PerfectMatch", "1": "PerfectMatch",
    "non-duplicate": "Irrelevant", "false": "Irrelevant", "0": "Irrelevant",
}  # fmt: skip


def _is_duplicate_label(text: str) -> bool:
    return not text.strip() or text.strip().lower() in _DUPLICATE_LABELS


def _is_score(text: str) -> bool:
    try:
        return not text.strip() or 0 <= float(text) <= 5
    except ValueError:
        return False
