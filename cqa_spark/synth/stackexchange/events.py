"""Generates what members do with the posts of a block: votes, which determine scores, then edits, and links."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.draws import DAY, Flags, Ints, later, within
from cqa_spark.synth.stackexchange.plan import CLOSED, VOTES_EACH, SitePlan
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.threads import ThreadBlock

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
    kind = np.repeat(kinds, [len(some) for some in posts])
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
TITLE, TAGS = 0.15, 0.15  # probabilities for an edited question
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
    tags = edited & is_question & several & (rng.random(size) < TAGS)
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
