"""Generates the threads of one block: questions, answers with their quality, and accepted answers.

Posts of a block are numbered by position: first its questions, then its answers. Ids are in chronological order.
"""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange import signal
from cqa_spark.synth.stackexchange.draws import DAY, HOUR, Flags, Floats, Ints, later, within, zipf
from cqa_spark.synth.stackexchange.phrasebook import Subjects
from cqa_spark.synth.stackexchange.plan import CLOSED, MAX_ANSWERS, POSTS_EACH, THREADS_EACH, SitePlan
from cqa_spark.synth.stackexchange.population import TAG_EXPONENT, Population
from cqa_spark.synth.stackexchange.vocabulary import SiteVocabulary

# Probabilities of 0, 1 … 8 answers: 1.7 on average, four or more in one of six threads.
ANSWERS = (0.285, 0.32, 0.145, 0.085, 0.07, 0.04, 0.025, 0.015, 0.015)
TAGS = (0.25, 0.3, 0.25, 0.13, 0.07)  # probabilities of 1, 2 … 5 tags
FOCUS_WORDS = 8
CANDIDATES = 12  # number of members who see a question, per answer
SELF_ANSWERED = 0.04
OTHERWISE_CLOSED = 0.03
ACCEPTING = 0.65


@dataclass(frozen=True)
class ThreadBlock:
    """The threads of a block.

    Attributes:
        id: id of each post.
        thread: position of the question of each post.
        posted: time, in milliseconds since 1970.
        author: number of the author.
        ownerless: whether the author's account was deleted.
        quality: quality of each answer, which determines the probability of acceptance; 0 for questions.
        traits: traits of the answers.
        subjects: subjects of the questions.
        original: earlier question that each question repeats; -1 if none.
        closed: time at which each question was closed; -1 if open.
        accepted: accepted answer of each question; -1 if none.
    """

    id: Ints
    thread: Ints
    posted: Ints
    author: Ints
    ownerless: Flags
    quality: Floats
    traits: signal.Traits
    subjects: Subjects
    original: Ints
    closed: Ints
    accepted: Ints

    @property
    def questions(self) -> int:
        """Number of threads."""
        return len(self.original)

    @property
    def answers(self) -> int:
        """Number of answers in all threads."""
        return len(self.id) - self.questions


def invent_threads(
    plan: SitePlan, block: int, population: Population, vocabulary: SiteVocabulary, rng: np.random.Generator
) -> ThreadBlock:
    """Generate the threads of a block."""
    count = plan.threads_of(block)
    asked = np.sort(rng.integers(*plan.window(block), size=count))
    asker = np.where(rng.random(count) < 0.4, population.active(rng, asked), population.any(rng, asked))
    original = _originals(count, plan.duplicates, rng)
    subjects = _subjects(plan, original, vocabulary, rng)

    thread, author, at_home = _answerers(asked, asker, subjects, population, rng)
    size = len(thread)
    traits = signal.Traits(
        population.skill(author), signal.standard_expertise(at_home), *(rng.standard_normal(size) for _ in range(4))
    )
    quality = traits.quality() if plan.signal else np.zeros(size)
    posted = later(rng, asked[thread], CLOSED, 8 * HOUR * signal.delay_factor(traits.earliness), 0.8)
    best = signal.accepted(quality, thread, rng)
    best = best[rng.random(len(best)) < ACCEPTING]
    accepted = np.full(count, -1)
    accepted[thread[best]] = count + best

    is_closed = (original >= 0) | (rng.random(count) < OTHERWISE_CLOSED)
    times, authors = np.concatenate((asked, posted)), np.concatenate((asker, author))
    ids = np.empty(count + size, dtype=np.int64)
    ids[np.argsort(times, kind="stable")] = plan.first_post(block) + np.arange(count + size)
    return ThreadBlock(
        id=ids,
        thread=np.concatenate((np.arange(count), thread)),
        posted=times,
        author=authors,
        ownerless=population.is_deleted(authors),
        quality=np.concatenate((np.zeros(count), quality)),
        traits=traits,
        subjects=subjects,
        original=original,
        closed=np.where(is_closed, later(rng, asked, CLOSED, 2 * DAY, 1.0), -1),
        accepted=accepted,
    )


def _originals(count: int, share: float, rng: np.random.Generator) -> Ints:
    """For a share of the questions, an earlier question that is not a repeat itself; for the others, -1."""
    earlier = (rng.random(count) * np.arange(count)).astype(np.int64)
    repeats = (rng.random(count) < share) & (np.arange(count) > 0)
    return np.where(repeats & ~repeats[earlier], earlier, -1)


def _subjects(plan: SitePlan, original: Ints, vocabulary: SiteVocabulary, rng: np.random.Generator) -> Subjects:
    count = len(original)
    # The largest log-weights plus Gumbel noise are draws without replacement.
    noisy = np.log(zipf(plan.tags, TAG_EXPONENT)) + rng.gumbel(size=(count, plan.tags))
    tags = np.argsort(-noisy, axis=1)[:, : len(TAGS)]
    tag_counts = 1 + rng.choice(len(TAGS), p=TAGS, size=count)
    focus = rng.integers(vocabulary.rare.start, vocabulary.rare.stop, size=(count, FOCUS_WORDS))
    same = np.where(original >= 0, original, np.arange(count))
    return Subjects(tags[same], tag_counts[same], focus[same])


def _answerers(
    asked: Ints, asker: Ints, subjects: Subjects, population: Population, rng: np.random.Generator
) -> tuple[Ints, Ints, Floats]:
    """For each answer its thread, its author, and whether the author's best tag is one of the question's.

    Of the members who see a question, those who know one of its tags best answer first; each answers at most once.
    """
    counts = within(rng.choice(MAX_ANSWERS + 1, p=ANSWERS, size=len(asked)), POSTS_EACH - THREADS_EACH)
    seen_by = population.active(rng, np.repeat(asked, CANDIDATES * counts))
    tag_of_each = population.home_tag(seen_by).tolist()
    self_answered = (rng.random(len(asked)) < SELF_ANSWERED).tolist()
    members, begin = seen_by.tolist(), 0
    thread: list[int] = []
    author: list[int] = []
    at_home: list[bool] = []
    for question, count in enumerate(counts.tolist()):
        tags = set(subjects.tags[question, : subjects.tag_counts[question]].tolist())
        end = begin + CANDIDATES * count
        # A dictionary keeps the order, and each member once.
        homes = dict(zip(members[begin:end], tag_of_each[begin:end], strict=True))
        me = int(asker[question])
        homes.pop(me, None)
        experts = [member for member, tag in homes.items() if tag in tags]
        takers = experts[: max(1, round(0.5 * count))]
        takers += [member for member in homes if member not in takers]
        if self_answered[question] and count:
            takers.insert(count // 2, me)
        takers = takers[:count]
        thread += [question] * len(takers)
        author += takers
        at_home += [homes.get(member) in tags for member in takers]
        begin = end
    return np.array(thread, dtype=np.int64), np.array(author, dtype=np.int64), np.array(at_home, dtype=np.float64)
