"""Generates the threads of one block: questions, answers with their quality, accepted answers; votes, edits and links.

Posts of a block are numbered by position: first its questions, then its answers. Ids are in chronological order.

A ranker can learn the signal of a dump. Every answer has six traits, each with mean 0 and a standard deviation of about
1. Its quality is their sum, weighted by ``WEIGHTS``. The accepted answer is drawn by softmax over the qualities; good
answers also get more up votes and fewer down votes. The traits appear in the dump as follows:

================  ===================================================================================
``author_skill``  other answers by the author are accepted and upvoted more often
``expertise``     the author mostly answers questions with one tag, and the question has this tag
``comment_tone``  comments on the answer praise or criticise it
``overlap``       the answer uses words of the question
``form``          the answer is longer and contains code more often
``earliness``     the answer is posted soon after the question
``badges``        no trait: badges are independent of quality, so features of badges must be useless
================  ===================================================================================
"""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.population import (
    CLOSED,
    DAY,
    HOUR,
    MAX_ANSWERS,
    POSTS_EACH,
    TAG_EXPONENT,
    THREADS_EACH,
    VOTES_EACH,
    Flags,
    Floats,
    Ints,
    Population,
    SitePlan,
    later,
    sigmoid,
    within,
    zipf,
)
from cqa_spark.synth.stackexchange.vocabulary import SiteVocabulary, Subjects

WEIGHTS = {
    "author_skill": 2.0,
    "expertise": 1.6,
    "comment_tone": 0.9,
    "overlap": 0.6,
    "form": 0.4,
    "earliness": 0.3,
    "badges": 0.0,
}
# From the most useful group of features to the useless one.
INTENDED_ORDER = tuple(sorted(WEIGHTS, key=lambda group: WEIGHTS[group], reverse=True))
SPREAD_OF_QUALITY = sum(weight**2 for weight in WEIGHTS.values()) ** 0.5
AT_HOME = 0.32  # share of answers whose author knows one of the question's tags best


@dataclass(frozen=True)
class Traits:
    """The hidden traits of answers, one value per answer.

    Attributes:
        author_skill: skill of the author, the same for all of their answers.
        expertise: whether the author knows one of the question's tags best.
        comment_tone: how favourable comments on the answer are.
        overlap: how much of the question's wording the answer uses.
        form: length and code.
        earliness: how soon it was posted.
    """

    author_skill: Floats
    expertise: Floats
    comment_tone: Floats
    overlap: Floats
    form: Floats
    earliness: Floats

    def quality(self) -> Floats:
        """Return the weighted sum of the traits, with standard deviation of about 1."""
        total = np.zeros(len(self.author_skill))
        for group, trait in vars(self).items():
            total += WEIGHTS[group] * trait
        return total / SPREAD_OF_QUALITY


def standard_expertise(at_home: Floats) -> Floats:
    """Standardize whether the author's best tag is one of the question's: mean 0, standard deviation 1."""
    return (at_home - AT_HOME) / (AT_HOME * (1 - AT_HOME)) ** 0.5


def draw_accepted(quality: Floats, thread: Ints, rng: np.random.Generator) -> Ints:
    """Draw one answer from every thread with answers, by softmax over the weighted sums of the traits.

    Returns:
        Positions of the drawn answers, in the order of their threads.
    """
    # The argmax of scores plus Gumbel noise is a draw by softmax.
    noisy = SPREAD_OF_QUALITY * quality + rng.gumbel(size=len(quality))
    best_first = np.lexsort((-noisy, thread))
    return best_first[np.unique(thread[best_first], return_index=True)[1]]


def praise_chance(comment_tone: Floats) -> Floats:
    """Probability that a comment on the answer praises it."""
    return sigmoid(2.2 * comment_tone - 0.4)


def echo_chance(overlap: Floats) -> Floats:
    """Probability that a topic word of the answer is replaced by a word specific to the question."""
    return sigmoid(0.9 * overlap - 0.8)


def code_chance(form: Floats) -> Floats:
    """Probability that the answer contains a block of code."""
    return sigmoid(1.2 * form - 0.6)


def length_factor(form: Floats) -> Floats:
    """Factor by which the answer is longer than average."""
    return np.exp(0.4 * form)


def delay_factor(earliness: Floats) -> Floats:
    """Factor by which the answer is later than average."""
    return np.exp(-1.2 * earliness)


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
    traits: Traits
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
    asked_at = np.sort(rng.integers(*plan.window(block), size=count))
    asker = np.where(rng.random(count) < 0.4, population.active(rng, asked_at), population.any(rng, asked_at))
    # A share of the questions repeat an earlier one that is not a repeat itself; -1 for the others.
    earlier = (rng.random(count) * np.arange(count)).astype(np.int64)
    repeats = (rng.random(count) < plan.duplicates) & (np.arange(count) > 0)
    original = np.where(repeats & ~repeats[earlier], earlier, -1)
    subjects = _subjects(plan, original, vocabulary, rng)

    thread, author, at_home = _answerers(asked_at, asker, subjects, population, rng)
    size = len(thread)
    traits = Traits(
        population.skill(author), standard_expertise(at_home), *(rng.standard_normal(size) for _ in range(4))
    )
    quality = traits.quality() if plan.signal else np.zeros(size)
    posted = later(rng, asked_at[thread], CLOSED, 8 * HOUR * delay_factor(traits.earliness), 0.8)
    best = draw_accepted(quality, thread, rng)
    best = best[rng.random(len(best)) < ACCEPTING]
    accepted = np.full(count, -1)
    accepted[thread[best]] = count + best

    is_closed = (original >= 0) | (rng.random(count) < OTHERWISE_CLOSED)
    times, authors = np.concatenate((asked_at, posted)), np.concatenate((asker, author))
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
        closed=np.where(is_closed, later(rng, asked_at, CLOSED, 2 * DAY, 1.0), -1),
        accepted=accepted,
    )


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
    asked_at: Ints, asker: Ints, subjects: Subjects, population: Population, rng: np.random.Generator
) -> tuple[Ints, Ints, Floats]:
    """For each answer its thread, its author, and whether the author's best tag is one of the question's.

    Of the members who see a question, those who know one of its tags best answer first; each answers at most once.
    """
    counts = within(rng.choice(MAX_ANSWERS + 1, p=ANSWERS, size=len(asked_at)), POSTS_EACH - THREADS_EACH)
    seen_by = population.active(rng, np.repeat(asked_at, CANDIDATES * counts))
    home_tags = population.home_tag(seen_by).tolist()
    self_answered = (rng.random(len(asked_at)) < SELF_ANSWERED).tolist()
    members, begin = seen_by.tolist(), 0
    thread: list[int] = []
    author: list[int] = []
    at_home: list[bool] = []
    for question, count in enumerate(counts.tolist()):
        tags = set(subjects.tags[question, : subjects.tag_counts[question]].tolist())
        end = begin + CANDIDATES * count
        # A dictionary keeps the order, and each member once.
        homes = dict(zip(members[begin:end], home_tags[begin:end], strict=True))
        owner = int(asker[question])
        homes.pop(owner, None)
        experts = [member for member, tag in homes.items() if tag in tags]
        takers = experts[: max(1, round(0.5 * count))]
        takers += [member for member in homes if member not in takers]
        if self_answered[question] and count:
            takers.insert(count // 2, owner)
        takers = takers[:count]
        thread += [question] * len(takers)
        author += takers
        at_home += [homes.get(member) in tags for member in takers]
        begin = end
    return np.array(thread, dtype=np.int64), np.array(author, dtype=np.int64), np.array(at_home, dtype=np.float64)


# Values of VoteTypeId.
ACCEPTED, UP, DOWN, FAVOURITE, CLOSE, BOUNTY_START, BOUNTY_CLOSE = 1, 2, 3, 5, 6, 8, 9
WITH_MEMBER = (FAVOURITE, BOUNTY_START)
POINTS_OF_ANSWER, POINTS_OF_QUESTION, POINTS_OF_ACCEPTED, POINTS_OF_DOWN = 10, 5, 15, -2
BOUNTIES = 0.02
BOUNTY_DAYS = 7
MANY = 400  # maximum number of votes of a kind on a post


@dataclass(frozen=True)
class Votes:
    """Votes in the order of their days.

    Attributes:
        post: position of the post.
        kind: VoteTypeId.
        day: day of the vote, as its first millisecond since 1970.
        member: number of the voter if the dump names it and the account exists; otherwise -1.
        amount: amount of a bounty; 0 for other votes.
        score: up votes minus down votes of each post.
        favourites: number of favourites of each post.
        points: reputation that the author gains by each post.
    """

    post: Ints
    kind: Ints
    day: Ints
    member: Ints
    amount: Ints
    score: Ints
    favourites: Ints
    points: Ints


def invent_votes(threads: ThreadBlock, population: Population, rng: np.random.Generator) -> Votes:
    """Generate the votes of a block."""
    size = len(threads.id)
    is_answer = np.arange(size) >= threads.questions
    popularity = rng.gamma(1.1, 3.0, size=threads.questions)[threads.thread]
    worth = np.exp(0.6 * threads.quality)
    up = np.minimum(rng.poisson(popularity * worth * np.where(is_answer, 1.0, 1.3)), MANY)
    down = np.minimum(rng.poisson(0.2 / worth), MANY)
    favourite = rng.poisson(0.05 * popularity * ~is_answer)
    # Three quarters of the capacity; the other kinds of votes never need more than the rest.
    up, down, favourite = np.split(within(np.concatenate((up, down, favourite)), VOTES_EACH * 3 // 4), 3)

    has_accepted = threads.accepted[threads.accepted >= 0]
    closed = np.flatnonzero(threads.closed >= 0)
    kinds = (UP, DOWN, FAVOURITE, ACCEPTED, CLOSE)
    posts = [np.repeat(np.arange(size), counts) for counts in (up, down, favourite)] + [has_accepted, closed]
    post = np.concatenate(posts)
    kind = np.repeat(kinds, [len(positions) for positions in posts])
    time = later(rng, threads.posted[post], CLOSED, 2 * DAY, 1.8)
    time[kind == CLOSE] = threads.closed[post[kind == CLOSE]]
    member = np.where(np.isin(kind, WITH_MEMBER), population.active(rng, time), -1)
    amount = np.zeros(len(post), dtype=np.int64)

    bounty = _bounties(threads, rng)
    post, kind, time, member, amount = (
        np.concatenate(pair) for pair in zip((post, kind, time, member, amount), bounty, strict=True)
    )
    member = np.where(population.is_deleted(member), -1, member)
    order = np.lexsort((threads.id[post], time // DAY))
    own = np.zeros(size, dtype=bool)
    own[has_accepted] = threads.author[has_accepted] == threads.author[threads.thread[has_accepted]]
    points = up * np.where(is_answer, POINTS_OF_ANSWER, POINTS_OF_QUESTION) + down * POINTS_OF_DOWN
    points[has_accepted] += POINTS_OF_ACCEPTED * ~own[has_accepted]
    return Votes(
        post=post[order],
        kind=kind[order],
        day=time[order] // DAY * DAY,
        member=member[order],
        amount=amount[order],
        score=up - down,
        favourites=favourite,
        points=points,
    )


def _bounties(threads: ThreadBlock, rng: np.random.Generator) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Post, kind, time, member and amount of bounties, offered on questions and awarded to accepted answers."""
    question = np.flatnonzero((rng.random(threads.questions) < BOUNTIES) & (threads.accepted >= 0))
    start = threads.posted[question] + 2 * DAY
    amount = 50 * rng.integers(1, 6, size=len(question))
    winner = threads.accepted[question]
    won = threads.posted[winner] < start + BOUNTY_DAYS * DAY
    return (
        np.concatenate((question, winner[won])),
        np.repeat((BOUNTY_START, BOUNTY_CLOSE), (len(question), won.sum())),
        np.concatenate((start, start[won] + BOUNTY_DAYS * DAY)),
        np.concatenate((threads.author[question], np.full(won.sum(), -1))),
        np.concatenate((amount, amount[won])),
    )


EDITED = 0.35
BY_OWNER = 0.6
TITLE, TAGS_WIKI = 0.15, 0.15  # probabilities for an edited question
# Values of LinkTypeId.
LINKED, DUPLICATE = 1, 3
LINKING = 0.08
TO_OTHER_BLOCKS = 0.4


@dataclass(frozen=True)
class Edits:
    """The last edit of each post; values for unedited posts are undefined.

    Attributes:
        at: time, in milliseconds since 1970; -1 for unedited posts.
        editor: number of the editing member.
        body: whether a paragraph was added to the body.
        title: whether the title changed.
        tags: whether a tag was added.
    """

    at: Ints
    editor: Ints
    body: Flags
    title: Flags
    tags: Flags


def invent_edits(threads: ThreadBlock, population: Population, rng: np.random.Generator) -> Edits:
    """Generate the edits of a block's posts."""
    size = len(threads.id)
    at = later(rng, threads.posted, CLOSED, DAY, 2.0)
    is_question = np.arange(size) < threads.questions
    edited = rng.random(size) < EDITED
    title = edited & is_question & (rng.random(size) < TITLE)
    several = threads.subjects.tag_counts[threads.thread] > 1
    tags = edited & is_question & several & (rng.random(size) < TAGS_WIKI)
    by_owner = (rng.random(size) < BY_OWNER) & ~threads.ownerless
    # Another member may be deleted, too; then the site's own account is the editor.
    other = population.active(rng, at)
    return Edits(
        at=np.where(edited, at, -1),
        editor=np.where(by_owner, threads.author, np.where(population.is_deleted(other), -1, other)),
        body=edited & (~(title | tags) | (rng.random(size) < 0.5)),
        title=title,
        tags=tags,
    )


@dataclass(frozen=True)
class Links:
    """Links in chronological order.

    Attributes:
        question: position of the linking question.
        related: id of the linked question.
        kind: LinkTypeId.
        at: creation time, in milliseconds since 1970.
    """

    question: Ints
    related: Ints
    kind: Ints
    at: Ints


def invent_links(plan: SitePlan, block: int, threads: ThreadBlock, rng: np.random.Generator) -> Links:
    """Generate the links of a block's questions."""
    linking = 1 + np.flatnonzero(rng.random(threads.questions - 1) < LINKING)
    earlier = threads.id[(rng.random(len(linking)) * linking).astype(np.int64)]
    # Only the first question's id of another block is known without generating the block.
    others = rng.integers(max(1, block), size=len(linking)).tolist()
    elsewhere = np.array([plan.first_post(other) for other in others], dtype=np.int64)
    leaves = (rng.random(len(linking)) < TO_OTHER_BLOCKS) & (block > 0)
    repeating = np.flatnonzero(threads.original >= 0)
    question = np.concatenate((linking, repeating))
    related = np.concatenate((np.where(leaves, elsewhere, earlier), threads.id[threads.original[repeating]]))
    at = np.concatenate((threads.posted[linking], threads.closed[repeating]))
    order = np.argsort(at, kind="stable")
    kind = np.repeat((LINKED, DUPLICATE), (len(linking), len(repeating)))
    return Links(question[order], related[order], kind[order], at[order])
