"""Generates conversations: members, questions, and comments of known quality.

Signal: good answers come from helpful members, mention the thing asked for, give places, prices, numbers and
addresses, and are posted a little earlier. The asker replies with thanks and questions. Other members chat. Noise:
helpful members also chat, advertisements look like answers, and every sixth label is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from cqa_spark.synth.forum_texts import FIRST_NAMES, SECOND_NAMES, SENTENCES, TOPICS, Topic

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
