"""The vocabulary of a generated site: English words, invented words, and words of each tag.

Words are numbered. Each kind of gap (``Gap``) has its own range of numbers, with frequencies that follow Zipf's law.
"""

from enum import IntEnum
from itertools import product

import numpy as np

from cqa_spark.synth.stackexchange.draws import WORDS, Ints, generator, zipf


def _words(text: str) -> list[str]:
    return text.split()


SUBJECTS = _words("""
    parsing sorting caching sockets threads fonts regex packaging logging matrices shaders tables forms images files
    streams testing linking layouts queues passwords clocks graphs menus cursors plugins sensors printers mail
    encoding signals backups clusters kernels macros sessions tokens archives drivers charts
""")
ASPECTS = ("", "-errors", "-performance", "-design", "-tools", "-security", "-memory", "-3.x", "-theory", "-migration")
TAG_NAMES = tuple(subject + aspect for aspect, subject in product(ASPECTS, SUBJECTS))

NOUNS = _words("""
    way problem value line case result example answer version part name list point code error type number file order
    thing step output input user page change table test option system reason memory server method field size limit
    copy library setting window document message path state rule source loop queue buffer node row column signal
    module driver tool pattern review café naïveté façade
""")
VERBS = _words("""
    use make get find set run read write add call change keep check build start load try open store remove replace
    update send receive parse print install configure return copy move test ignore convert split merge sort filter
    compare reset close measure rename skip lock unlock trace wrap queue restart
""")
ADJECTIVES = _words("""
    new same other different first last large small simple correct wrong empty fast slow recent old single second
    local public private common stable missing unexpected standard default remote strange reliable
""")
# Syllables of invented words.
CONSONANTS = _words("b br c ch d dr f fl g gr h j k kl l m n p pl qu r s sh st t tr v w z")
VOWELS = _words("a e i o u ai ea io ou")
ENDINGS = _words("d l m n r s t x nd rt sk st")

INVENTED_NOUNS = 2000
RARE_WORDS = 20_000
TAG_WORDS = 80
DRAWS = 1 << 16


class Gap(IntEnum):
    """The kind of word that fills a placeholder."""

    VERB = 1
    NOUN = 2
    ADJECTIVE = 3
    NUMBER = 4
    TAG = 5
    TOPIC = 6  # a word of one of the question's tags
    FOCUS = 7  # a word that is specific to the question


class SiteVocabulary:
    """All words of a site.

    Args:
        seed: random seed of the invented words.
        tags: number of tags.

    Attributes:
        words: all words; the number of a word is its position.
        tag_names: names of the tags of the site.
        rare: numbers of the words that are specific to single questions.
    """

    def __init__(self, seed: int, tags: int) -> None:
        invented = _invent(seed, INVENTED_NOUNS + RARE_WORDS + tags * TAG_WORDS)
        self.words: list[str] = []
        self.tag_names = TAG_NAMES[:tags]
        self._first: dict[Gap, int] = {}
        self._draws: dict[Gap, Ints] = {}
        self._add(Gap.VERB, VERBS, 0.7)
        self._add(Gap.NOUN, [*NOUNS, *invented[:INVENTED_NOUNS]], 1.0)
        self._add(Gap.ADJECTIVE, ADJECTIVES, 0.7)
        self._add(Gap.NUMBER, [str(number) for number in range(2, 1000)], 0.8)
        self._add(Gap.TAG, list(self.tag_names), 0.0)
        self._add(Gap.TOPIC, invented[INVENTED_NOUNS + RARE_WORDS :], 0.8, count=TAG_WORDS)
        self.rare = range(len(self.words), len(self.words) + RARE_WORDS)
        self.words += invented[INVENTED_NOUNS : INVENTED_NOUNS + RARE_WORDS]

    def draw(self, gap: Gap, rng: np.random.Generator, size: int) -> Ints:
        """Draw numbers of words; for ``TOPIC``, words of the first tag."""
        return self._draws[gap][rng.integers(DRAWS, size=size)]

    def tag_number(self, tags: Ints) -> Ints:
        """Numbers of the names of tags."""
        return self._first[Gap.TAG] + tags

    def _add(self, gap: Gap, words: list[str], exponent: float, count: int | None = None) -> None:
        first = self._first[gap] = len(self.words)
        ends = np.cumsum(zipf(count or len(words), exponent))
        # A draw from this table is many times faster than a search in the cumulative probabilities.
        self._draws[gap] = first + np.searchsorted(ends, (np.arange(DRAWS) + 0.5) / DRAWS)
        self.words += words


def _invent(seed: int, count: int) -> list[str]:
    """Invent distinct words of two syllables."""
    syllables = [consonant + vowel for consonant in CONSONANTS for vowel in VOWELS]
    rng = generator(seed, 0, WORDS)
    two = len(syllables) * len(ENDINGS) * len(syllables)
    numbers = rng.choice(two, size=count, replace=False)
    first, rest = np.divmod(numbers, len(ENDINGS) * len(syllables))
    ending, second = np.divmod(rest, len(syllables))
    return [
        syllables[a] + syllables[b] + ENDINGS[c]
        for a, b, c in zip(first.tolist(), second.tolist(), ending.tolist(), strict=True)
    ]
