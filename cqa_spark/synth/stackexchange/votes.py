"""Generates the votes on a block's posts, which determine scores and reputations."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.draws import DAY, Ints, later, within
from cqa_spark.synth.stackexchange.plan import CLOSED, VOTES_EACH
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
