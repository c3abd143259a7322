"""The plan of a generated site, and its members.

Random numbers do not depend on the order of draws or the number of processes: properties of a numbered entity, such as
a member, depend only on the seed, a purpose and the number; values of a block are drawn from its own generator. Ids and
dates are assigned to blocks in advance.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cqa_spark.synth.qatar_living import FIRST_NAMES, SECOND_NAMES

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Streams: what the generator of a block is used for.
THREADS, WORDS, ABOUT_TEXTS = 1, 2, 3
HOUR = 3_600_000
DAY = 24 * HOUR


def generator(seed: int, number: int, stream: int) -> np.random.Generator:
    """Return a random generator of one block; the streams of a block are independent."""
    return np.random.default_rng(np.random.SeedSequence([seed, number, stream]))


def uniforms(seed: int, purpose: str, numbers: Ints) -> Floats:
    """Return one pseudorandom value in [0, 1) for each number.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators).
    """
    key = np.random.SeedSequence([seed, crc32(purpose.encode())]).generate_state(1, np.uint64)
    state = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + key
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normals(seed: int, purpose: str, numbers: Ints) -> Floats:
    """Return one pseudorandom standard normal value for each number (Box and Muller 1958)."""
    radius = np.sqrt(-2 * np.log1p(-uniforms(seed, f"{purpose}, radius", numbers)))
    return radius * np.cos(2 * np.pi * uniforms(seed, f"{purpose}, angle", numbers))


def zipf(count: int, exponent: float) -> Floats:
    """Return the probabilities of ranks 1 to `count`, proportional to rank to the power of minus `exponent`."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def within(counts: Ints, capacity: int) -> Ints:
    """Keep counts as long as their cumulative sum does not exceed the capacity, and set the others to 0."""
    return np.where(np.cumsum(counts) <= capacity, counts, 0)


def later(rng: np.random.Generator, times: Ints, end: int, median: Floats | float, spread: float) -> Ints:
    """Draw a later time for each time: log-normal delays, limited by the end.

    Args:
        rng: random generator of the block.
        times: milliseconds since 1970, all before `end`.
        end: latest possible time, in milliseconds since 1970.
        median: median of the delays, in milliseconds.
        spread: standard deviation of the logarithm of the delays.
    """
    delay = median * np.exp(spread * rng.standard_normal(len(times)))
    return times + 1 + np.minimum(delay, (end - times - 1) * rng.random(len(times))).astype(np.int64)


def sigmoid(values: Floats) -> Floats:
    """Map scores to probabilities."""
    return 1 / (1 + np.exp(-values))


MAX_ANSWERS = 8
MAX_TAGS = 400
TAG_WIKI_POSTS = 2 * MAX_TAGS  # the ids of wikis and of their history precede the ids of all blocks
# Number of threads of a block. Ids are assigned to blocks in advance, so that blocks are independent of each other.
# Unused ids are gaps, as in real dumps. Posts: 500 questions and 1,500 answers.
THREADS_EACH = 500
POSTS_EACH = 2000
COMMENTS_EACH = 5000
VOTES_EACH = 30_000
HISTORY_EACH = 8000  # no question has more than 8 entries, no answer more than 2
LINKS_EACH = 1000  # no question links to more than 2
USERS_EACH = 2000
BADGES_EACH = 20  # for one user

OPENED = int(datetime(2011, 1, 4, tzinfo=UTC).timestamp() * 1000)
FIRST_QUESTION = OPENED + 400 * DAY
LAST_QUESTION = OPENED + 4600 * DAY
CLOSED = LAST_QUESTION + 60 * DAY  # the day of the dump

# Measured on sites of 800 to 50,000 threads, and checked by a test.
BYTES_OF_SITE = 3_000
BYTES_OF_THREAD = 3_840


@dataclass(frozen=True)
class SitePlan:
    """Properties of a generated site, which determine the dump.

    Attributes:
        site: host name, such as ``workshop.stackexchange.com``; also the name of the dump's folder.
        threads: number of threads.
        seed: random seed; not negative.
        signal: whether the accepted answer depends on quality; otherwise, it is drawn at random.
        duplicates: share of questions that repeat an earlier one in other words and are closed as its duplicate.
    """

    site: str
    threads: int
    seed: int
    signal: bool = True
    duplicates: float = 0.04

    @property
    def users(self) -> int:
        """Number of members, without the account -1 that every site has."""
        return max(200, self.threads)

    @property
    def tags(self) -> int:
        """Number of tags, which grows with the site."""
        return min(MAX_TAGS, 8 + self.threads // 25)

    @property
    def blocks(self) -> int:
        """Number of blocks of threads."""
        return -(-self.threads // THREADS_EACH)

    def threads_of(self, block: int) -> int:
        """Number of threads of a block; the last block has the remainder."""
        return min(THREADS_EACH, self.threads - block * THREADS_EACH)

    def window(self, block: int) -> tuple[int, int]:
        """Start and end of the period in which a block's questions are asked, in milliseconds since 1970."""
        first = block * THREADS_EACH
        length = LAST_QUESTION - FIRST_QUESTION
        end = first + self.threads_of(block)
        return FIRST_QUESTION + first * length // self.threads, FIRST_QUESTION + end * length // self.threads

    def first_post(self, block: int) -> int:
        """Id of a block's first post, which is always a question."""
        return TAG_WIKI_POSTS + block * POSTS_EACH + 1

    def first_history(self, block: int) -> int:
        """Id of a block's first row of PostHistory.xml."""
        return TAG_WIKI_POSTS + block * HISTORY_EACH + 1


def threads_for_size(size_bytes: int) -> int:
    """Return the number of threads for a Posts.xml of about a given size.

    Args:
        size_bytes: size of Posts.xml; the other seven files together are about twice as large.
    """
    return max(1, round((size_bytes - BYTES_OF_SITE) / BYTES_OF_THREAD))


TAG_EXPONENT = 0.9
ACTIVITY_EXPONENT = 0.6
"""The activity of the user of rank r is about r to the power of minus this."""


class Population:
    """All members, numbered from 0 in the order in which they joined.

    It takes eight bytes per member; all properties are computed on demand.

    Args:
        plan: plan of the site.
    """

    def __init__(self, plan: SitePlan) -> None:
        self._seed = plan.seed
        self._step = (CLOSED - OPENED) // plan.users  # milliseconds from one member to the next
        self._tags = np.cumsum(zipf(plan.tags, TAG_EXPONENT))
        chance = 1 - uniforms(plan.seed, "activity", np.arange(plan.users))
        self._activity = np.cumsum(chance**-ACTIVITY_EXPONENT)

    def joined(self, members: Ints) -> Ints:
        """Times at which members joined, in milliseconds since 1970."""
        jitter = uniforms(self._seed, "joined", members)
        return OPENED + self._step * members + (self._step * jitter).astype(np.int64)

    def skill(self, members: Ints) -> Floats:
        """Skill of members at answering, standard normal."""
        return normals(self._seed, "skill", members)

    def home_tag(self, members: Ints) -> Ints:
        """The tag that each member knows best."""
        return np.searchsorted(self._tags, uniforms(self._seed, "home tag", members))

    def is_deleted(self, members: Ints) -> Flags:
        """Whether a member's account was deleted: one in fifty, except founders."""
        return (uniforms(self._seed, "deleted", members) < 0.02) & (members > 0)

    def active(self, rng: np.random.Generator, times: Ints) -> Ints:
        """Draw one member for each time, by activity, from those who had joined by then."""
        active = self._activity[self._joined_before(times) - 1]
        return np.searchsorted(self._activity, rng.random(len(times)) * active, side="right")

    def any(self, rng: np.random.Generator, times: Ints) -> Ints:
        """Draw one member for each time, uniformly, from those who had joined by then."""
        return (rng.random(len(times)) * self._joined_before(times)).astype(np.int64)

    def names(self, members: Ints) -> list[str]:
        """Display names of members."""
        first = (uniforms(self._seed, "first name", members) * len(FIRST_NAMES)).astype(np.int64).tolist()
        second = (uniforms(self._seed, "second name", members) * len(SECOND_NAMES)).astype(np.int64).tolist()
        numbered = zip(first, second, members.tolist(), strict=True)
        return [f"{FIRST_NAMES[i]} {SECOND_NAMES[j]} {number}" for i, j, number in numbered]

    def _joined_before(self, times: Ints) -> Ints:
        # Member n joins in step n, so these have certainly joined. The first question is asked when a tenth has.
        return np.minimum((times - OPENED) // self._step, len(self._activity))
