"""The signal of generated dumps: traits of good answers, which a ranker can learn.

Every answer has six traits, each with mean 0 and standard deviation of about 1. Its quality is their sum, weighted by
``WEIGHTS``. The accepted answer is drawn by softmax over the qualities; good answers also get more up votes and fewer
down votes. The traits appear in the dump as follows. Badges are independent of quality, so features of badges must be
useless.

==============  ====================================================================================
author_skill    other answers by the author are accepted and upvoted more often
expertise       the author mostly answers questions with one tag, and the question has this tag
comment_tone    comments on the answer praise or criticise it
overlap         the answer uses words of the question
form            the answer is longer and contains code more often
earliness       the answer is posted soon after the question
badges          no trait: badges are independent of quality
==============  ====================================================================================
"""

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


def accepted(quality: Floats, thread: Ints, rng: np.random.Generator) -> Ints:
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
