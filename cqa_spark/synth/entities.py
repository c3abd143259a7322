"""The entities of the generated forum."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cqa_spark.synth.topics import Topic


@dataclass(frozen=True)
class User:
    """A member.

    Attributes:
        id: id, such as ``U17``.
        name: display name.
        helpfulness: probability that a comment by the member answers the question.
    """

    id: str
    name: str
    helpfulness: float


@dataclass(frozen=True)
class Comment:
    """A comment, with its label for the question of its own thread."""

    author: User
    posted: datetime
    text: str
    label: str


@dataclass(frozen=True)
class QuestionWithComments:
    """A question with its comments, without search results."""

    topic: Topic
    thing: str
    subject: str
    body: str
    asker: User
    asked: datetime
    comments: tuple[Comment, ...]


@dataclass(frozen=True)
class Thread:
    """A conversation as the search result for an original question.

    Attributes:
        id: id, such as ``Q3_R7``.
        search_rank: rank among the results, from 1.
        relevance: relevance of the thread's question to the original question.
        conversation: the question and its comments.
        original_labels: label of each comment for the original question.
        same_as: id of the earlier thread with the same conversation; None for the first one.
    """

    id: str
    search_rank: int
    relevance: str
    conversation: QuestionWithComments
    original_labels: tuple[str, ...]
    same_as: str | None = None


@dataclass(frozen=True)
class OriginalQuestion:
    """A new question and its search results, best first."""

    id: str
    subject: str
    body: str
    threads: tuple[Thread, ...]
