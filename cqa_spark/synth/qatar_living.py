"""Writes a generated Qatar Living forum: training and development dumps, a gold file, and a dump without labels.

An original question has search results, which are conversations; their texts are in ``forum.yaml``. Signal: good
answers come from helpful members, mention the thing asked for, give places, prices, numbers and addresses, and are
posted a little earlier. The asker replies with thanks and questions. Other members chat. Noise: helpful members also
chat, advertisements look like answers, and every sixth label is wrong.

Source: layouts and format of the scorer of Nakov et al. (2016), SemEval-2016 Task 3: Community Question Answering.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import yaml

from cqa_spark.process.disks import cannot_write


@dataclass(frozen=True)
class Topic:
    """One subject of conversation.

    Attributes:
        category: section of the forum.
        things: subjects of questions.
        places: recommendations in good answers.
        facts: sentences that show knowledge of the subject.
    """

    category: str
    things: Sequence[str]
    places: Sequence[str]
    facts: Sequence[str]


_TEXTS: Mapping[str, Any] = yaml.safe_load(files("cqa_spark.synth").joinpath("forum.yaml").read_text("utf-8"))

SENTENCES: Mapping[str, Sequence[str]] = _TEXTS["sentences"]
FIRST_NAMES: Sequence[str] = _TEXTS["names"]["first"]
SECOND_NAMES: Sequence[str] = _TEXTS["names"]["second"]
TOPICS = tuple(Topic(**topic) for topic in _TEXTS["topics"])


GOOD, USEFUL, BAD = LABELS = ("Good", "PotentiallyUseful", "Bad")
COMMENTS = 10
WRONG_LABELS = 0.18
ASKER_SPEAKS = 0.15
DECREASE_BY_POSITION = 0.08  # decrease of the probability of an answer per earlier comment
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
    helpfulness = (0.75, 0.4, 0.4, 0.08)
    users = []
    for number in range(1, count + 1):
        name = f"{rng.choice(FIRST_NAMES)} {rng.choice(SECOND_NAMES)}{number}"
        users.append(User(f"U{number}", name, helpfulness[number % len(helpfulness)]))
    return users


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
        chance = author.helpfulness * liveliness * (1.4 - DECREASE_BY_POSITION * position)
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
THREADS_EACH = 5  # as in the development set of SemEval-2016, without repeats: 244 threads of 49 original questions
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
        self._bodies: set[str] = set()
        self._questions = 0

    def original_questions(self, threads: int) -> Iterator[OriginalQuestion]:
        """Generate the questions of one file; conversations of earlier files are not repeated.

        Args:
            threads: total number of threads; each original question has five, the last one the remainder.
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
        similar = [self._search_result(topic, thing, repeatable) for _ in range(threads)]
        similar.sort(key=lambda result: result[0], reverse=True)
        results = []
        for rank, (_, relevance, conversation, same_as) in enumerate(similar, start=1):
            labels = tuple(self._original_label(relevance, comment.label) for comment in conversation.comments)
            results.append(Thread(f"{identifier}_R{rank}", rank, relevance, conversation, labels, same_as))
        earlier.extend((thread.id, thread.conversation) for thread in results if thread.same_as is None)
        return OriginalQuestion(identifier, subject, body, tuple(results))

    def _search_result(
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
            if conversation.body not in self._bodies:
                self._bodies.add(conversation.body)
                return conversation

    def _original_label(self, relevance: str, label: str) -> str:
        """The label for the original question: as for the comment's own question if both ask the same, else lower."""
        if relevance == PERFECT or label == BAD:
            return label
        if relevance == RELEVANT:
            return GOOD if label == GOOD and self._rng.random() < 0.4 else USEFUL
        return BAD


HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE xml [\n<!ELEMENT xml ANY>\n]>\n<xml version="1.0">\n'
TAIL = "\n</xml>\n"
UNKNOWN = "?"


def nested_layout(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the XML of subtasks A, B and C, with all labels.

    As in the official files, an original question is repeated with each of its threads.
    """
    for question in questions:
        for thread in question.threads:
            yield f'\n<OrgQuestion ORGQ_ID="{question.id}">\n'
            yield f"\t<OrgQSubject>{escape(question.subject)}</OrgQSubject>\n"
            yield f"\t<OrgQBody>{escape(question.body)}</OrgQBody>\n"
            yield from _thread(thread, nested=True)
            yield "</OrgQuestion>\n"


def flat_layout(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the XML of subtask A: threads without an original question, without labels."""
    for question in questions:
        for thread in question.threads:
            yield from _thread(thread, nested=False)


def scorer_lines(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the judgments of subtask A: query, candidate, rank, score of the given order, whether it is Good.

    Repeated threads are omitted, as in the official task.
    """
    for question in questions:
        for thread in question.threads:
            if thread.same_as is None:
                for rank, comment in enumerate(thread.conversation.comments, start=1):
                    good = str(comment.label == "Good").lower()
                    yield f"{thread.id}\t{thread.id}_C{rank}\t{rank}\t{1 / rank:.15g}\t{good}\n"


def _thread(thread: Thread, *, nested: bool) -> Iterator[str]:
    talk = thread.conversation
    skip = {"SubtaskA_Skip_Because_Same_As_RelQuestion_ID": thread.same_as} if thread.same_as else {}
    search = {"RELQ_RANKING_ORDER": str(thread.search_rank)} if nested else {}
    relevance = {"RELQ_RELEVANCE2ORGQ": thread.relevance} if nested else {}
    facts = {
        "RELQ_CATEGORY": talk.topic.category,
        "RELQ_DATE": _date(talk.asked),
        "RELQ_USERID": talk.asker.id,
        "RELQ_USERNAME": talk.asker.name,
    }
    yield f"\n\t<Thread{_attributes({'THREAD_SEQUENCE': thread.id} | skip)}>\n"
    yield f"\t\t<RelQuestion{_attributes({'RELQ_ID': thread.id} | search | facts | relevance)}>\n"
    yield f"\t\t\t<RelQSubject>{escape(talk.subject)}</RelQSubject>\n"
    yield f"\t\t\t<RelQBody>{escape(talk.body)}</RelQBody>\n"
    yield "\t\t</RelQuestion>\n"
    yield from _comments(thread, nested=nested)
    yield "\t</Thread>\n"


def _comments(thread: Thread, *, nested: bool) -> Iterator[str]:
    labelled = zip(thread.conversation.comments, thread.original_labels, strict=True)
    for number, (comment, original_label) in enumerate(labelled, start=1):
        facts = {
            "RELC_ID": f"{thread.id}_C{number}",
            "RELC_DATE": _date(comment.posted),
            "RELC_USERID": comment.author.id,
            "RELC_USERNAME": comment.author.name,
        }
        original = {"RELC_RELEVANCE2ORGQ": original_label} if nested else {}
        own = {"RELC_RELEVANCE2RELQ": comment.label if nested else UNKNOWN}
        yield f"\n\t\t<RelComment{_attributes(facts | original | own)}>\n"
        yield f"\t\t\t<RelCText>{escape(comment.text)}</RelCText>\n"
        yield "\t\t</RelComment>\n"


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _date(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")


# Real dumps contain such threads, with an undeclared entity. The reader must quarantine it and read the rest.
BROKEN_THREAD = """
<OrgQuestion ORGQ_ID="Q0">
	<OrgQSubject>Is this thread readable?</OrgQSubject>
	<OrgQBody>It is not; and everything around it is.</OrgQBody>

	<Thread THREAD_SEQUENCE="Q0_R1">
		<RelQuestion RELQ_ID="Q0_R1" RELQ_RANKING_ORDER="1" RELQ_CATEGORY="Finance" RELQ_DATE="2013-01-01 00:00:00" \
RELQ_USERID="U1" RELQ_USERNAME="nobody" RELQ_RELEVANCE2ORGQ="Irrelevant">
			<RelQSubject>Savings &undeclared; loans</RelQSubject>
			<RelQBody>The subject names an entity that no one declared.</RelQBody>
		</RelQuestion>
	</Thread>
</OrgQuestion>
"""


@dataclass(frozen=True)
class SamplePaths:
    """The files of a sample.

    Attributes:
        train: labelled threads for training, one of them malformed.
        dev: labelled threads for evaluation.
        gold: judgments of subtask A for ``dev``, in the format of the official scorer.
        unlabelled: threads of subtask A without labels.
    """

    train: Path
    dev: Path
    gold: Path
    unlabelled: Path


def write_sample(output: Path, *, threads: int, dev_threads: int, seed: int) -> SamplePaths:
    """Generate a forum and write its dumps; the same arguments give the same bytes.

    Args:
        output: folder, created if it does not exist.
        threads: well-formed threads of the training dump.
        dev_threads: threads of the development dump; a third of that number is written to the dump without labels.
        seed: random seed.

    Raises:
        EnvironmentProblem: the folder cannot be written to, or its disk is full.
    """
    paths = SamplePaths(output / "train.xml", output / "dev.xml", output / "dev.relevancy", output / "unlabelled.xml")
    forum = Forum(seed, users=30 + threads // 2)
    try:
        output.mkdir(parents=True, exist_ok=True)
        _write(paths.train, chain([HEAD], nested_layout(forum.original_questions(threads)), [BROKEN_THREAD, TAIL]))
        dev = list(forum.original_questions(dev_threads))
        _write(paths.dev, chain([HEAD], nested_layout(dev), [TAIL]))
        _write(paths.gold, scorer_lines(dev))
        unlabelled = forum.original_questions(max(1, dev_threads // 3))
        _write(paths.unlabelled, chain([HEAD], flat_layout(unlabelled), [TAIL]))
    except OSError as error:
        raise cannot_write(f"the sample to {output}", error) from error
    return paths


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
