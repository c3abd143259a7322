"""Generates a forum: conversations with comments of known quality, and original questions with their search results.

Signal: good answers come from helpful members, mention the thing asked for, give places, prices, numbers and
addresses, and are posted a little earlier. The asker replies with thanks and questions. Other members chat. Noise:
helpful members also chat, advertisements look like answers, and every sixth label is wrong.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from cqa_spark.synth.forum_texts import FIRST_NAMES, SECOND_NAMES, SENTENCES, TOPICS, Topic


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


GOOD, USEFUL, BAD = LABELS = ("Good", "PotentiallyUseful", "Bad")
COMMENTS = 10
WRONG_LABELS = 0.18
ASKER_SPEAKS = 0.15
WORTH_OF_PLACE = 0.08  # decrease of the probability of an answer per earlier comment
FIRST_DAY = datetime(2012, 1, 1)

NOT_ANSWERS = (
    ("guesses", USEFUL, 0.25),
    ("chatter", BAD, 0.35),
    ("jokes", BAD, 0.10),
    ("questions", BAD, 0.20),
    ("advertisements", BAD, 0.10),
)


def invent_users(count: int, rng: Random) -> list[User]:
    """Generate members: a quarter mostly help, a quarter mostly chat."""
    kinds = (0.75, 0.4, 0.4, 0.08)
    return [User(f"U{number}", _name(rng, number), kinds[number % len(kinds)]) for number in range(1, count + 1)]


def invent_question(rng: Random, topic: Topic, thing: str) -> tuple[str, str]:
    """Generate subject and body of a question about a thing."""
    parts = ("subjects", "openings", "details", "details", "closings")
    subject, *body = (_say(rng, part, _gaps(rng, topic, thing, "all")) for part in parts)
    return subject, " ".join(body)


def invent_conversation(rng: Random, users: Sequence[User], topic: Topic, thing: str) -> QuestionWithComments:
    """Generate a question about a thing, and its comments."""
    subject, body = invent_question(rng, topic, thing)
    asker = rng.choice(users)
    asked = time = FIRST_DAY + timedelta(minutes=rng.randrange(2 * 365 * 24 * 60))
    liveliness = rng.uniform(0.3, 1.4)  # some questions get no good answer
    comments: list[Comment] = []
    for position in range(COMMENTS):
        time += timedelta(seconds=rng.randrange(60, 12 * 3600))
        author = asker if position and rng.random() < ASKER_SPEAKS else rng.choice(users)
        chance = author.helpfulness * liveliness * (1.4 - WORTH_OF_PLACE * position)
        intention, label = _intention(rng, by_asker=author is asker, chance=chance)
        before = comments[-1].author.name if comments else asker.name
        text = _say(rng, intention, _gaps(rng, topic, thing, before))
        comments.append(Comment(author, time, text, _label(rng, label)))
    return QuestionWithComments(topic, thing, subject, body, asker, asked, tuple(comments))


def _intention(rng: Random, *, by_asker: bool, chance: float) -> tuple[str, str]:
    """Draw what a comment is meant to do, and its label."""
    if by_asker:
        return rng.choice(("thanks", "asker_replies")), BAD
    if rng.random() < chance:
        return ("answers" if rng.random() < 0.7 else "short_answers"), GOOD
    intention, label, _ = rng.choices(NOT_ANSWERS, weights=[weight for _, _, weight in NOT_ANSWERS])[0]
    return intention, label


def _label(rng: Random, label: str) -> str:
    return rng.choice([other for other in LABELS if other != label]) if rng.random() < WRONG_LABELS else label


def _say(rng: Random, intention: str, gaps: dict[str, str]) -> str:
    return rng.choice(SENTENCES[intention]).format_map(gaps)


def _gaps(rng: Random, topic: Topic, thing: str, name: str) -> dict[str, str]:
    return {
        "thing": thing,
        "place": rng.choice(topic.places),
        "fact": rng.choice(topic.facts),
        "other": rng.choice(rng.choice(TOPICS).things),
        "name": name,
        "price": str(rng.randrange(50, 9000, 10)),
        "phone": f"44{rng.randrange(10**5, 10**6)}",
        "url": f"http://www.example.org/?topic={topic.category[:4].lower()}&page={rng.randrange(100, 1000)}",
    }


def _name(rng: Random, number: int) -> str:
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(SECOND_NAMES)}{number}"


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
