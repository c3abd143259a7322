"""The plan of a generated site: numbers of threads, users and tags, and the ids and dates of each block."""

from dataclasses import dataclass
from datetime import UTC, datetime

from cqa_spark.synth.stackexchange.draws import DAY

MAX_ANSWERS = 8
MAX_TAGS = 400
TAG_WIKI_POSTS = 2 * MAX_TAGS  # their ids, and those of their history, precede those of all blocks
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
