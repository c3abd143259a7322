"""Generates the comments on a block's posts, whose tone reflects the quality of answers."""

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange import signal
from cqa_spark.synth.stackexchange.draws import HOUR, Flags, Floats, Ints, later, sigmoid, within
from cqa_spark.synth.stackexchange.phrasebook import Intent, Phrasebook
from cqa_spark.synth.stackexchange.plan import CLOSED, COMMENTS_EACH
from cqa_spark.synth.stackexchange.population import Population
from cqa_spark.synth.stackexchange.threads import ThreadBlock

SPEAKS_UP = 0.25  # probability that the author of the post comments
LONGER = 0.62  # probability of each further sentence
MOST_SENTENCES = 7  # the site limits comments to 600 characters


@dataclass(frozen=True)
class CommentTable:
    """Comments in the order of their ids.

    Attributes:
        post: position of the post.
        posted: time, in milliseconds since 1970.
        author: number of the member.
        ownerless: whether the author's account was deleted.
        score: number of up votes, which Votes.xml does not list.
        text: escaped for XML.
    """

    post: Ints
    posted: Ints
    author: Ints
    ownerless: Flags
    score: Ints
    text: list[str]


def invent_comments(
    threads: ThreadBlock, population: Population, phrasebook: Phrasebook, rng: np.random.Generator
) -> CommentTable:
    """Generate the comments of a block."""
    size = len(threads.id)
    counts = within(rng.negative_binomial(1.0, 0.4, size=size), COMMENTS_EACH)
    post = np.repeat(np.arange(size), counts)
    posted = later(rng, threads.posted[post], CLOSED, 6 * HOUR, 1.8)
    by_owner = rng.random(len(post)) < SPEAKS_UP
    author = np.where(by_owner, threads.author[post], population.active(rng, posted))
    order = np.argsort(posted, kind="stable")
    post, posted, by_owner, author = post[order], posted[order], by_owner[order], author[order]
    return CommentTable(
        post=post,
        posted=posted,
        author=author,
        ownerless=population.is_deleted(author),
        score=rng.geometric(0.7, size=len(post)) - 1,
        text=_texts(threads, post, by_owner, phrasebook, rng),
    )


def _texts(
    threads: ThreadBlock, post: Ints, by_owner: Flags, phrasebook: Phrasebook, rng: np.random.Generator
) -> list[str]:
    """Texts of the comments: the first sentence follows the intent, the others are asides."""
    is_answer = post >= threads.questions
    tone = np.zeros(len(post))
    tone[is_answer] = threads.traits.comment_tone[post[is_answer] - threads.questions]
    mood: Floats = rng.random(len(post))
    praise = signal.praise_chance(tone)
    criticism = (1 - praise) * sigmoid(-2 * tone)
    first = phrasebook.choose(Intent.ASIDE, rng, len(post))
    for intent, chosen in (
        (Intent.PRAISE, is_answer & (mood < praise)),
        (Intent.CRITICISM, is_answer & (mood > 1 - criticism)),
        (Intent.REQUEST, ~is_answer & (mood < 0.7)),
        (Intent.REPLY, by_owner),
    ):
        first[chosen] = phrasebook.choose(intent, rng, int(chosen.sum()))
    lengths = np.minimum(rng.geometric(1 - LONGER, size=len(post)), MOST_SENTENCES)
    ends = np.cumsum(lengths)
    patterns = phrasebook.choose(Intent.ASIDE, rng, int(lengths.sum()))
    patterns[ends - lengths] = first
    speech = phrasebook.say(patterns, threads.subjects, np.repeat(threads.thread[post], lengths), rng)
    starts = (ends - lengths).tolist()
    return [speech.passage(begin, end) for begin, end in zip(starts, ends.tolist(), strict=True)]
