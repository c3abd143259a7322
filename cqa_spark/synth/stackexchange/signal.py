"""The signal of generated dumps: traits of good answers, which a ranker can learn.

Every answer has six traits, each with mean 0 and standard deviation 1 or nearly so. Its quality is their sum by
`WEIGHTS`. The asker accepts one answer by softmax over the qualities; good answers also get more up votes and fewer
down votes. The traits appear in the dump as follows. Badges are independent of quality, so their features must be
useless. (The more unequal the users' activity, the fewer users write most answers, and the more their skill and badges
may correlate by chance.)

==============  ====================================================================================
author_skill    the author's other answers are accepted and voted for more often
expertise       the author answers mostly under one tag, and the question has it
comment_tone    comments on the answer praise or criticise it
overlap         the answer uses the question's own words
form            the answer is longer and has more often code
earliness       the answer comes soon after the question
badges          no trait: badges say nothing
==============  ====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.draws import Floats, Ints, sigmoid

WEIGHTS = {
    "author_skill": 2.0,
    "expertise": 1.6,
    "comment_tone": 0.9,
    "overlap": 0.6,
    "form": 0.4,
    "earliness": 0.3,
    "badges": 0.0,
}
# From the group that should help a ranker most to the one that should not help at all.
INTENDED_ORDER = tuple(sorted(WEIGHTS, key=lambda group: WEIGHTS[group], reverse=True))
SPREAD_OF_QUALITY = sum(weight**2 for weight in WEIGHTS.values()) ** 0.5
AT_HOME = 0.32  # how often an answer's author knows one of the question's tags best


@dataclass(frozen=True)
class Traits:
    """The hidden traits of answers, one value an answer.

    Attributes:
        author_skill: of the author, the same in all their answers.
        expertise: whether the author knows one of the question's tags best.
        comment_tone: how comments speak of the answer.
        overlap: how much the answer speaks the question's words.
        form: length and code.
        earliness: how soon it came.
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
    """Bring whether the author is at home in the question's tags to mean 0 and standard deviation 1."""
    return (at_home - AT_HOME) / (AT_HOME * (1 - AT_HOME)) ** 0.5


def accepted(quality: Floats, thread: Ints, rng: np.random.Generator) -> Ints:
    """Draw one answer of every thread that has any, by softmax over the sums of weighted traits.

    Returns:
        Positions of the drawn answers, in the order of their threads.
    """
    # The largest of the scores plus Gumbel noise is a draw by softmax.
    noisy = SPREAD_OF_QUALITY * quality + rng.gumbel(size=len(quality))
    best_first = np.lexsort((-noisy, thread))
    return best_first[np.unique(thread[best_first], return_index=True)[1]]


def praise_chance(comment_tone: Floats) -> Floats:
    """Probability that a comment on the answer praises it."""
    return sigmoid(2.2 * comment_tone - 0.4)


def echo_chance(overlap: Floats) -> Floats:
    """Probability that a word of the answer's subject is one of the question's own."""
    return sigmoid(0.9 * overlap - 0.8)


def code_chance(form: Floats) -> Floats:
    """Probability that the answer has a block of code."""
    return sigmoid(1.2 * form - 0.6)


def length_factor(form: Floats) -> Floats:
    """How many times as long as usual the answer is."""
    return np.exp(0.4 * form)


def delay_factor(earliness: Floats) -> Floats:
    """How many times as late as usual the answer comes."""
    return np.exp(-1.2 * earliness)
