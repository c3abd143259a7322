"""The words of a generated site, and sentence patterns with gaps, ``patterns.yaml``, that they fill.

Words are numbered: English words, invented words, and words of each tag. Each kind of gap (``Gap``) has its own range
of numbers, with frequencies that follow Zipf's law.

A sentence is a row of token numbers: fixed pieces of text, and words for the gaps. To generate gigabytes in minutes,
NumPy draws the numbers, and one table gives their texts. All texts are already escaped for XML.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from importlib.resources import files
from itertools import product

import numpy as np
import yaml

from cqa_spark.synth.stackexchange.population import WORDS, Floats, Ints, generator, zipf
from cqa_spark.synth.stackexchange.rows import attribute_value


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
    first, remainder = np.divmod(numbers, len(ENDINGS) * len(syllables))
    ending, second = np.divmod(remainder, len(syllables))
    return [
        syllables[a] + syllables[b] + ENDINGS[c]
        for a, b, c in zip(first.tolist(), second.tolist(), ending.tolist(), strict=True)
    ]


class Intent(Enum):
    """The purpose of a sentence."""

    TITLE = auto()
    PROBLEM = auto()
    ADVICE = auto()
    CODE = auto()
    PRAISE = auto()
    CRITICISM = auto()
    ASIDE = auto()
    REQUEST = auto()
    REPLY = auto()
    WIKI = auto()
    ABOUT = auto()


_TEXTS = yaml.safe_load(files("cqa_spark.synth.stackexchange").joinpath("patterns.yaml").read_text("utf-8"))

PATTERNS: Mapping[Intent, Sequence[str]] = {intent: _TEXTS[intent.name.lower()] for intent in Intent}


GAP = re.compile(r"\{(" + "|".join(gap.name.lower() for gap in Gap) + r")\}")


@dataclass(frozen=True)
class Subjects:
    """The subjects of questions, one row per question.

    Attributes:
        tags: tag numbers; columns after the question's last tag are unused.
        tag_counts: number of tags of each question.
        focus: numbers of the words that are specific to the question.
    """

    tags: Ints
    tag_counts: Ints
    focus: Ints


@dataclass(frozen=True)
class Speech:
    """Sentences with filled gaps, in the order of their patterns.

    Attributes:
        words: texts of all tokens.
        starts: start of each sentence in ``words``, and the end of the last one.
    """

    words: list[str]
    starts: list[int]

    def passage(self, first: int, end: int) -> str:
        """Return sentences ``first`` to ``end`` (exclusive), separated by spaces."""
        return "".join(self.words[self.starts[first] : self.starts[end]])[1:]

    def lines(self, first: int, end: int) -> str:
        """Return lines of code ``first`` to ``end`` (exclusive), each followed by a line break."""
        return "".join(self.words[self.starts[first] : self.starts[end]])


class Phrasebook:
    """All sentences of a site.

    Args:
        vocabulary: words of the site.
    """

    def __init__(self, vocabulary: SiteVocabulary) -> None:
        self._vocabulary = vocabulary
        texts = list(vocabulary.words)
        tokens: list[int] = []
        lengths: list[int] = []
        self._of_intent: dict[Intent, tuple[int, int]] = {}
        for intent, patterns in PATTERNS.items():
            self._of_intent[intent] = (len(lengths), len(patterns))
            for pattern in patterns:
                before = len(tokens)
                pieces = GAP.split(pattern + "\n" if intent is Intent.CODE else " " + pattern)
                for fixed, gap in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
                    if fixed:
                        tokens.append(len(texts))
                        texts.append(attribute_value(fixed))
                    if gap:
                        tokens.append(-Gap[gap.upper()])
                lengths.append(len(tokens) - before)
        self._texts = np.array(texts, dtype=object)
        self._tokens = np.array(tokens)
        self._lengths = np.array(lengths)
        self._starts = np.cumsum(self._lengths) - self._lengths

    def choose(self, intent: Intent, rng: np.random.Generator, size: int) -> Ints:
        """Draw patterns of an intent."""
        first, count = self._of_intent[intent]
        return first + rng.integers(count, size=size)

    def say(
        self, patterns: Ints, subjects: Subjects, about: Ints, rng: np.random.Generator, echo: Floats | None = None
    ) -> Speech:
        """Fill the gaps of sentences.

        Args:
            patterns: pattern of each sentence.
            subjects: subjects of the questions.
            about: question of each sentence, as a row of ``subjects``.
            rng: random generator of the block.
            echo: for each sentence, the probability that a topic word is replaced by a word specific to the question.
        """
        lengths = self._lengths[patterns]
        ends = np.cumsum(lengths)
        # The tokens of all sentences, one after the other: index within the sentence plus start of its pattern.
        tokens = self._tokens[np.arange(lengths.sum()) + np.repeat(self._starts[patterns] - ends + lengths, lengths)]
        sentence = np.repeat(np.arange(len(patterns)), lengths)
        if echo is not None:
            topics = np.flatnonzero(tokens == -Gap.TOPIC)
            tokens[topics[rng.random(len(topics)) < echo[sentence[topics]]]] = -Gap.FOCUS
        for gap in Gap:
            gaps = np.flatnonzero(tokens == -gap)
            tokens[gaps] = self._fill(gap, subjects, about[sentence[gaps]], rng)
        return Speech(self._texts[tokens].tolist(), [0, *ends.tolist()])

    def _fill(self, gap: Gap, subjects: Subjects, question: Ints, rng: np.random.Generator) -> Ints:
        size = len(question)
        if gap is Gap.FOCUS:
            return subjects.focus[question, rng.integers(subjects.focus.shape[1], size=size)]
        if gap not in (Gap.TAG, Gap.TOPIC):
            return self._vocabulary.draw(gap, rng, size)
        # The first tag is the most frequent one.
        column = (subjects.tag_counts[question] * rng.random(size) ** 2).astype(np.int64)
        tags = subjects.tags[question, column]
        if gap is Gap.TAG:
            return self._vocabulary.tag_number(tags)
        return self._vocabulary.draw(gap, rng, size) + tags * TAG_WORDS
