"""Generates a forum: original questions with their search results, which are conversations."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from cqa_spark.synth.conversations import (
    BAD,
    GOOD,
    USEFUL,
    QuestionWithComments,
    User,
    invent_conversation,
    invent_question,
    invent_users,
)
from cqa_spark.synth.forum_texts import TOPICS, Topic


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


PERFECT, RELEVANT, IRRELEVANT = ("PerfectMatch", "Relevant", "Irrelevant")
THREADS_EACH = 10
REPEATS = 0.04
RECENT = 40  # maximum distance of a repeat, in threads


class Forum:
    """A generated forum, determined by the seed and the order of calls.

    Args:
        seed: random seed.
        users: number of members.
    """

    def __init__(self, seed: int, users: int) -> None:
        self._rng = Random(seed)
        self._users: Sequence[User] = invent_users(users, self._rng)
        self._asked: set[str] = set()
        self._questions = 0

    def original_questions(self, threads: int) -> Iterator[OriginalQuestion]:
        """Generate the questions of one file; conversations of earlier files are not repeated.

        Args:
            threads: total number of threads; each original question has ten, the last one the remainder.
        """
        earlier: deque[tuple[str, QuestionWithComments]] = deque(maxlen=RECENT)
        for begin in range(0, threads, THREADS_EACH):
            yield self._original_question(min(THREADS_EACH, threads - begin), earlier)

    def _original_question(self, threads: int, earlier: deque[tuple[str, QuestionWithComments]]) -> OriginalQuestion:
        self._questions += 1
        identifier = f"Q{self._questions}"
        topic = self._rng.choice(TOPICS)
        thing = self._rng.choice(topic.things)
        subject, body = invent_question(self._rng, topic, thing)
        repeatable = list(earlier)
        similar = sorted(
            (self._find(topic, thing, repeatable) for _ in range(threads)), key=lambda result: result[0], reverse=True
        )
        results = [
            self._thread(f"{identifier}_R{rank}", rank, relevance, conversation, same_as)
            for rank, (_, relevance, conversation, same_as) in enumerate(similar, start=1)
        ]
        earlier.extend((thread.id, thread.conversation) for thread in results if thread.same_as is None)
        return OriginalQuestion(identifier, subject, body, tuple(results))

    def _find(
        self, topic: Topic, thing: str, earlier: list[tuple[str, QuestionWithComments]]
    ) -> tuple[float, str, QuestionWithComments, str | None]:
        """Draw one search result: score, true relevance, conversation, and the earlier thread that it repeats."""
        same_as = None
        if earlier and self._rng.random() < REPEATS:
            same_as, conversation = earlier.pop(self._rng.randrange(len(earlier)))
        else:
            conversation = self._new_conversation(topic, thing)
        if conversation.topic is not topic:
            relevance, worth = IRRELEVANT, 0
        elif conversation.thing != thing:
            relevance, worth = RELEVANT, 1
        else:
            relevance, worth = PERFECT, 2
        return worth + self._rng.gauss(0, 1.2), relevance, conversation, same_as

    def _new_conversation(self, topic: Topic, thing: str) -> QuestionWithComments:
        """Generate a conversation that is on the topic, on the thing, or unrelated."""
        while True:
            kind = self._rng.choices((PERFECT, RELEVANT, IRRELEVANT), weights=(15, 40, 45))[0]
            about = self._rng.choice(TOPICS) if kind == IRRELEVANT else topic
            asks_for = thing if kind == PERFECT else self._rng.choice(about.things)
            conversation = invent_conversation(self._rng, self._users, about, asks_for)
            if conversation.body not in self._asked:
                self._asked.add(conversation.body)
                return conversation

    def _thread(
        self, identifier: str, rank: int, relevance: str, conversation: QuestionWithComments, same_as: str | None
    ) -> Thread:
        labels = tuple(self._original_label(relevance, comment.label) for comment in conversation.comments)
        return Thread(identifier, rank, relevance, conversation, labels, same_as)

    def _original_label(self, relevance: str, label: str) -> str:
        """The label for the original question: as for the comment's own question if both ask the same, else lower."""
        if relevance == PERFECT or label == BAD:
            return label
        if relevance == RELEVANT:
            return GOOD if label == GOOD and self._rng.random() < 0.4 else USEFUL
        return BAD
