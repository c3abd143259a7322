"""Threads of a small forum, written down as literals."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

SITE = "qatarliving.com"


@dataclass(frozen=True)
class Said:
    """One comment of a thread: who said what, and whether it was judged relevant."""

    author: str | None
    text: str
    at: datetime | None = None
    name: str | None = None
    relevant: bool | None = None


@dataclass(frozen=True)
class Thread:
    """A question with its comments, whose ids are the thread's id, ``_C`` and the position.

    The question has a text only where one is given.
    """

    thread_id: str
    asker: str | None
    said: Sequence[Said]
    at: datetime | None = None
    category: str | None = None
    question: str | None = None
    subject: str | None = None
    split: str = "train"
    same_as: str | None = None

    @property
    def texts(self) -> list[str]:
        """Of the question: its text and its subject, where it has them."""
        return [text for text in (self.question, self.subject) if text is not None]


@dataclass(frozen=True)
class Pair:
    """A question's subject and body, and the comment below it."""

    subject: str
    body: str
    comment: str
    split: str = "train"


def threads_of(pairs: Sequence[Pair]) -> list[Thread]:
    """Questions Q1, Q2 and so on, each with the comment Qn_C1; a question's text is its subject and its body."""
    return [
        Thread(f"Q{number}", None, [Said(None, pair.comment)], question=f"{pair.subject}\n{pair.body}",
               subject=pair.subject, split=pair.split)
        for number, pair in enumerate(pairs, start=1)
    ]  # fmt: skip


def analysed_text(text: str) -> dict[str, object]:
    """A row of the analysed texts: split at blanks, clean already, and its own id."""
    tokens = text.lower().split()
    words = [token for token in tokens if any(letter.isalnum() for letter in token)]
    return {
        "text_id": text, "raw": text, "clean": " ".join(text.split()), "sentences": [text], "tokens": tokens,
        "words": words, "content_words": words, "stems": words,
        "bigrams": [" ".join(pair) for pair in pairwise(words)],
    }  # fmt: skip
