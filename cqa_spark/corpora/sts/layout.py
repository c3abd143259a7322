"""The column layouts of STS files: tab-separated, without header and quoting."""

from __future__ import annotations

from dataclasses import dataclass

SENTENCES = "sentence<TAB>sentence"


class UnreadablePair(Exception):
    """A line that is not a pair; the message goes to the quarantine."""


@dataclass(frozen=True)
class Layout:
    """The positions of the columns.

    Attributes:
        name: name of the layout.
        about: the columns, for messages.
        width: minimum number of columns; further columns, such as licences, are ignored.
        score: index of the score; None in files without scores.
        sentences: indices of the two sentences.
    """

    name: str
    about: str
    width: int
    score: int | None
    sentences: tuple[int, int]


INPUT = Layout("input", SENTENCES, 2, None, (0, 1))
"""Official inputs of all years."""

SCORED = Layout("scored", f"score<TAB>{SENTENCES}", 3, 0, (1, 2))
"""Scores and sentences in one file."""

BENCHMARK = Layout("benchmark", f"genre<TAB>file<TAB>year<TAB>id<TAB>score<TAB>{SENTENCES}", 7, 4, (5, 6))
"""STS Benchmark."""


def detect_layout(line: str) -> Layout:
    """Detect the layout of a file by its first line.

    The first column of a scored file is a number or empty. Official inputs may have further columns, with the sources
    of the sentences.
    """
    columns = line.split("\t")
    if len(columns) >= BENCHMARK.width and columns[0].startswith("main-"):
        return BENCHMARK
    if len(columns) >= SCORED.width and _is_score(columns[0]):
        return SCORED
    return INPUT


def parse_score(text: str) -> float | None:
    """A gold score; None if it is empty, which means that the pair has no official score.

    Raises:
        UnreadablePair: it is not a number from 0 to 5.
    """
    if not text.strip():
        return None
    if not _is_score(text):
        raise UnreadablePair(f"the score is {text!r}, not a number from 0 to 5")
    return float(text)


def _is_score(text: str) -> bool:
    try:
        return not text.strip() or 0 <= float(text) <= 5
    except ValueError:
        return False
